// Serves a folder on this machine only: node serve.mjs [FOLDER] [--port N]. Also used by the tests.
import {createServer} from 'node:http';
import {readFile} from 'node:fs/promises';
import {extname, join, normalize, sep} from 'node:path';
import {fileURLToPath} from 'node:url';

const TYPES = {
    '.html': 'text/html; charset=utf-8',
    '.css': 'text/css; charset=utf-8',
    '.mjs': 'text/javascript; charset=utf-8',
    '.js': 'text/javascript; charset=utf-8',
    '.wasm': 'application/wasm',
    '.svg': 'image/svg+xml',
    '.tflite': 'application/octet-stream',
    '.pgm': 'image/x-portable-graymap',
};
const HEADERS = {
    'Content-Security-Policy':
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; base-uri 'none'; form-action 'none'; " +
        "frame-ancestors 'none'; object-src 'none'",
    // An isolated page gets a finer clock.
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Embedder-Policy': 'require-corp',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache',
};

/** `extra(request, response)` answers first where it returns true. */
export function serve(root, {port = 0, extra} = {}) {
    const server = createServer(async (request, response) => {
        try {
            if (extra && (await extra(request, response))) return;
            const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
            const file = join(root, path.endsWith(sep) ? join(path, 'index.html') : path);
            const body = await readFile(file);
            response.writeHead(200, {...HEADERS, 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream'});
            response.end(request.method === 'HEAD' ? undefined : body);
        } catch (e) {
            const missing = e.code === 'ENOENT' || e.code === 'EISDIR' || e.code === 'ENOTDIR';
            response.writeHead(missing ? 404 : 400, {...HEADERS, 'Content-Type': 'text/plain; charset=utf-8'});
            response.end(missing ? 'not found\n' : 'bad request\n');
        }
    });
    return new Promise((resolve, reject) => {
        server.on('error', reject);
        server.listen(port, '127.0.0.1', () =>
            resolve({
                server,
                url: `http://localhost:${server.address().port}/`,
                close: () =>
                    new Promise((done) => {
                        server.closeAllConnections();
                        server.close(done);
                    }),
            }),
        );
    });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const args = process.argv.slice(2),
        at = args.indexOf('--port'),
        port = at < 0 ? 8080 : Number(args.splice(at, 2)[1]);
    const root = args[0] ?? fileURLToPath(new URL('.', import.meta.url));
    serve(root, {port}).then(
        ({url}) => console.log(`serving ${root} at ${url} (Ctrl+C ends it)`),
        (e) => {
            console.error(
                e.code === 'EADDRINUSE' ? `port ${port} is taken: choose another one with --port N` : e.message,
            );
            process.exit(1);
        },
    );
}
