/* Files that people open by mistake, by the bytes they start with. An X-macro list: no include guard is needed, as it only
 * defines lists. */

#define NPU__NEXT_UNPACK "unpack it, and open the .tflite inside"
#define NPU__NEXT_INPUT "open a .tflite model, and give it this file as an input"
#define NPU__NEXT_MEDIA "an input must be a .npy, PNG, JPEG, BMP or WAV file"
#define NPU__NEXT_KERAS "convert it with tf.lite.TFLiteConverter"
#define NPU__NEXT_ONNX "convert it to TFLite, with onnx2tf for example"
#define NPU__NEXT_TORCH "convert it to TFLite, with litert-torch for example"
#define NPU__NEXT_CONVERT "convert the network it came from to TFLite"
#define NPU__NEXT_OTHER "open a .tflite model instead"

/* X(offset, bytes, offset, more bytes or "", what it is, what to do next); the first row that fits counts. */
#define NPU__FILE_KIND_LIST(X)                                                                                          \
    X(0, "version https://git-lfs", 0, "", "a Git LFS pointer", "fetch the file itself with git lfs pull")              \
    X(0, "\211PNG\r\n\032\n", 0, "", "a PNG image", NPU__NEXT_INPUT)                                                    \
    X(0, "\377\330\377", 0, "", "a JPEG image", NPU__NEXT_INPUT)                                                        \
    X(0, "BM", 6, "\0\0\0\0", "a BMP image", NPU__NEXT_INPUT)                                                           \
    X(0, "RIFF", 8, "WAVE", "WAV audio", NPU__NEXT_INPUT)                                                               \
    X(0, "\223NUMPY", 0, "", "a .npy array", NPU__NEXT_INPUT)                                                           \
    X(0, "RIFF", 8, "WEBP", "a WebP image", NPU__NEXT_MEDIA)                                                            \
    X(0, "RIFF", 8, "AVI ", "an AVI video", NPU__NEXT_MEDIA)                                                            \
    X(0, "GIF8", 0, "", "a GIF image", NPU__NEXT_MEDIA)                                                                 \
    X(0, "II*\0", 0, "", "a TIFF image", NPU__NEXT_MEDIA)                                                               \
    X(0, "MM\0*", 0, "", "a TIFF image", NPU__NEXT_MEDIA)                                                               \
    X(4, "ftyp", 8, "hei", "a HEIF image", NPU__NEXT_MEDIA)                                                             \
    X(4, "ftyp", 8, "avif", "an AVIF image", NPU__NEXT_MEDIA)                                                           \
    X(4, "ftyp", 0, "", "an MP4 video", NPU__NEXT_MEDIA)                                                                \
    X(0, "\032E\337\243", 0, "", "a Matroska or WebM video", NPU__NEXT_MEDIA)                                           \
    X(0, "ID3", 0, "", "MP3 audio", NPU__NEXT_MEDIA)                                                                    \
    X(0, "\377\373", 0, "", "MP3 audio", NPU__NEXT_MEDIA)                                                               \
    X(0, "OggS", 0, "", "Ogg audio", NPU__NEXT_MEDIA)                                                                   \
    X(0, "fLaC", 0, "", "FLAC audio", NPU__NEXT_MEDIA)                                                                  \
    X(0, "FORM", 8, "AIF", "AIFF audio", NPU__NEXT_MEDIA)                                                               \
    X(0, "\037\213", 0, "", "gzip data", "decompress it first")                                                         \
    X(0, "BZh", 0, "", "bzip2 data", "decompress it first")                                                             \
    X(0, "\3757zXZ", 0, "", "xz data", "decompress it first")                                                           \
    X(0, "\050\265\057\375", 0, "", "zstd data", "decompress it first")                                                 \
    X(0, "\004\"M\030", 0, "", "LZ4 data", "decompress it first")                                                       \
    X(0, "7z\274\257\047\034", 0, "", "a 7z archive", NPU__NEXT_UNPACK)                                                 \
    X(0, "Rar!\032\007", 0, "", "a RAR archive", NPU__NEXT_UNPACK)                                                      \
    X(257, "ustar", 0, "", "a tar archive", NPU__NEXT_UNPACK)                                                           \
    X(0, "\211HDF\r\n\032\n", 0, "", "an HDF5 file (Keras .h5)", NPU__NEXT_KERAS)                                       \
    X(0, "GGUF", 0, "", "a GGUF model", "GGUF cannot be converted: look for a .tflite of the network")                  \
    X(0, "RKNN", 0, "", "an RKNN model", NPU__NEXT_CONVERT)                                                             \
    X(0, "\200\002\212\nl\374\234F\371 j\250P\031", 0, "", "a PyTorch checkpoint", NPU__NEXT_TORCH)                     \
    X(0, "\200\002", 2, "c", "a Python pickle", NPU__NEXT_CONVERT)                                                      \
    X(0, "\200\002", 2, "}", "a Python pickle", NPU__NEXT_CONVERT)                                                      \
    X(0, "\200\003", 2, "c", "a Python pickle", NPU__NEXT_CONVERT)                                                      \
    X(0, "\200\003", 2, "}", "a Python pickle", NPU__NEXT_CONVERT)                                                      \
    X(0, "\200\004\225", 0, "", "a Python pickle", NPU__NEXT_CONVERT)                                                   \
    X(0, "\200\005\225", 0, "", "a Python pickle", NPU__NEXT_CONVERT)                                                   \
    X(0, "PAR1", 0, "", "a Parquet table", NPU__NEXT_OTHER)                                                             \
    X(0, "SQLite format 3", 0, "", "an SQLite database", NPU__NEXT_OTHER)                                               \
    X(0, "%PDF", 0, "", "a PDF document", NPU__NEXT_OTHER)                                                              \
    X(0, "\177ELF", 0, "", "an ELF binary", "open the model that is built into it")                                     \
    X(0, "\317\372\355\376", 0, "", "a Mach-O binary", "open the model that is built into it")                          \
    X(0, "MZ\220\0", 0, "", "a Windows binary", "open the model that is built into it")                                 \
    X(0, "!<arch>\n", 0, "", "a static library", "open the model that is built into it")                                \
    X(0, "UF2\n", 0, "", "a UF2 firmware image", "open the model that is built into it")                                \
    X(0, "\0asm", 0, "", "a WebAssembly module", NPU__NEXT_OTHER)                                                       \
    X(4, "AFRGTD", 0, "", "a TFLite model as Base64 text", "decode it with base64 -d")

/* Flatbuffers of other schemas, by their identifier: X(four bytes, what it is, what to do next). Circle (CIR0)
 * is read as TFLite is: schema_circle.h. */
#define NPU__FILE_IDENTIFIER_LIST(X)                                                          \
    X("TFL2", "a model of TFLite schema version 2", "convert the network again")              \
    X("TFL1", "a model of TFLite schema version 1", "convert the network again")              \
    X("ORTM", "an ONNX Runtime model (.ort)", NPU__NEXT_ONNX)                                 \
    X("ET12", "an ExecuTorch program (.pte)", NPU__NEXT_TORCH)                                \
    X("M001", "TFLite metadata without its model", NPU__NEXT_OTHER)

/* ZIP archives by the name of their first file: X(0: the name starts so, 1: ends so, text, what it is, what to do next). */
#define NPU__FILE_ZIP_LIST(X)                                                                 \
    X(1, ".npy", "an .npz archive", "save one array with numpy.save")                         \
    X(1, "/data.pkl", "a PyTorch model (.pt)", NPU__NEXT_TORCH)                               \
    X(1, "/byteorder", "a PyTorch model (.pt)", NPU__NEXT_TORCH)                              \
    X(1, "/version", "a PyTorch model (.pt)", NPU__NEXT_TORCH)                                \
    X(0, "metadata.json", "a Keras model (.keras)", NPU__NEXT_KERAS)                          \
    X(0, "[Content_Types].xml", "an Office document", NPU__NEXT_OTHER)                        \
    X(0, "META-INF/", "a Java archive or Android app", NPU__NEXT_UNPACK)                      \
    X(0, "AndroidManifest.xml", "an Android app", NPU__NEXT_UNPACK)                           \
    X(1, "", "a ZIP archive (.task, .mlpackage and others are)", NPU__NEXT_UNPACK)

/* Text by what its first kilobyte starts with, white space left out, and holds: X(start, word, what it is, what next). */
#define NPU__FILE_TEXT_LIST(X)                                                                \
    X("{", "modelTopology", "a TensorFlow.js model", NPU__NEXT_CONVERT)                       \
    X("{", "", "JSON", "open the .tflite model it describes, or make one of it with flatc")   \
    X("[", "", "JSON", NPU__NEXT_OTHER)                                                       \
    X("<?xml", "<net", "an OpenVINO model (.xml)", NPU__NEXT_CONVERT)                         \
    X("<?xml", "", "XML", NPU__NEXT_OTHER)                                                    \
    X("<", "", "HTML", "the download gave a web page: fetch the file itself")                 \
    X("", "unsigned char", "C source of an array", "turn it back into a file with xxd -r -p") \
    X("", "uint8_t", "C source of an array", "turn it back into a file with xxd -r -p")       \
    X(":", "", "an Intel HEX file", "open the model that is built into it")                   \
    X("", "", "text", NPU__NEXT_OTHER)
