#!/usr/bin/env python3
"""Networks that nobody tuned for: PyTorch's, converted here by LiteRT's own converter, with weights from a seed, for bench.py --models.

    torch_networks.py FOLDER [--only NAME[,NAME...]] [--kinds KIND[,KIND...]]

torchvision's image networks and transformers from small configurations. Layouts, fusions and quantization differ from Keras':
inputs are NCHW, normalizations are spelled out, and LiteRT's quantizer makes dynamic range by 8, 4 and 2 bits a weight, whole and by
block, int8 and 16x8. What converter or quantizer refuses is said and left out. Files that are there already stay. Needs litert-torch
(`make bench-torch` installs it into an environment of its own)."""

import argparse
import os
import sys

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
from ai_edge_quantizer import quantizer, recipe  # noqa: E402
import litert_torch  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
import torchvision  # noqa: E402
import transformers  # noqa: E402

RECIPES = {
    "dyn": recipe.dynamic_wi8_afp32,
    "dyn8b32": recipe.dynamic_wi8b32_afp32,
    "dyn4b32": recipe.dynamic_wi4b32_afp32,
    "dyn2b32": recipe.dynamic_wi2b32_afp32,
    "dyn4": recipe.dynamic_wi4c_afp32,
    "dyn2": recipe.dynamic_wi2c_afp32,
    "weights8": recipe.weight_only_wi8_afp32,
    "weights4": recipe.weight_only_wi4_afp32,
    "int8": recipe.static_wi8_ai8,
    "16x8": recipe.static_wi8_ai16,
}
KINDS = ("f32", *RECIPES)
FEW_BITS = (
    "dyn8b32",
    "dyn4b32",
    "dyn2b32",
    "dyn4",
    "dyn2",
    "weights8",
    "weights4",
)  # of transformers: convolutions have none of these


class Only(torch.nn.Module):
    """The tensor that matters of a model that returns many."""

    def __init__(self, model, pick):
        super().__init__()
        self.model, self.pick = model, pick

    def forward(self, *args):
        return self.pick(self.model(*args))


def image(size=224, channels=3):
    return (torch.rand(1, channels, size, size),)


def tokens(length=64, words=500):
    return (torch.arange(length).reshape(1, length) % words,)


def vision(name, size=224, **more):
    return lambda: (getattr(torchvision.models, name)(weights=None, **more), image(size), ("f32", "dyn", "int8"))


def segmentation(name, size=257):
    def build():
        model = getattr(torchvision.models.segmentation, name)(weights=None, weights_backbone=None)
        return Only(model, lambda out: out["out"]), image(size), ("f32", "dyn", "int8")

    return build


def hidden(out):
    return out.last_hidden_state


def language(config, pick=hidden, kinds=("f32", "dyn", "int8", *FEW_BITS), **sizes):
    def build():
        of = getattr(transformers, config)(attn_implementation="eager", **sizes)
        return Only(transformers.AutoModel.from_config(of), pick), tokens(), kinds

    return build


def looks(config, size, **sizes):
    def build():
        of = getattr(transformers, config)(attn_implementation="eager", image_size=size, **sizes)
        return Only(transformers.AutoModel.from_config(of), hidden), image(size), ("f32", "dyn", "int8")

    return build


# ---- networks of torch.nn ----


def recurrent(kind):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.rnn = getattr(torch.nn, kind)(40, 64, num_layers=2, batch_first=True, bidirectional=kind == "LSTM")
            self.out = torch.nn.Linear(64 * (1 + (kind == "LSTM")), 29)

        def forward(self, x):
            return torch.log_softmax(self.out(self.rnn(x)[0]), -1)

    return lambda: (Net(), (torch.rand(1, 20, 40),), ("f32", "dyn"))


class SpeechConv(torch.nn.Module):
    """wav2vec's way: convolutions of one dimension, group normalization, GELU."""

    def __init__(self):
        super().__init__()
        layers, channels = [], 1
        for kernel, stride in ((10, 5), (3, 2), (3, 2), (3, 2), (2, 2)):
            layers += [torch.nn.Conv1d(channels, 128, kernel, stride), torch.nn.GroupNorm(8, 128), torch.nn.GELU()]
            channels = 128
        self.net = torch.nn.Sequential(*layers)

    def forward(self, x):
        return self.net(x)


class PixelShuffle(torch.nn.Module):
    def __init__(self):
        super().__init__()
        conv = torch.nn.Conv2d
        self.net = torch.nn.Sequential(
            conv(1, 64, 5, padding=2), torch.nn.Tanh(), conv(64, 32, 3, padding=1), torch.nn.Tanh(),
            conv(32, 9, 3, padding=1), torch.nn.PixelShuffle(3),
        )  # fmt: skip

    def forward(self, x):
        return self.net(x)


class UNet(torch.nn.Module):
    """Instance normalization, leaky ReLU, transposed convolutions, concatenations."""

    def __init__(self, width=16):
        super().__init__()

        def block(i, o):
            return torch.nn.Sequential(
                torch.nn.Conv2d(i, o, 3, padding=1), torch.nn.InstanceNorm2d(o, affine=True), torch.nn.LeakyReLU(0.1)
            )

        self.down = torch.nn.ModuleList([block(3, width), block(width, 2 * width), block(2 * width, 4 * width)])
        self.up = torch.nn.ModuleList(
            [torch.nn.ConvTranspose2d(4 * width, 2 * width, 2, 2), torch.nn.ConvTranspose2d(2 * width, width, 4, 2, 1)]
        )
        self.join = torch.nn.ModuleList([block(4 * width, 2 * width), block(2 * width, width)])
        self.pool, self.out = torch.nn.MaxPool2d(2), torch.nn.Conv2d(width, 4, 1)

    def forward(self, x):
        a = self.down[0](x)
        b = self.down[1](self.pool(a))
        c = self.down[2](self.pool(b))
        b = self.join[0](torch.cat([self.up[0](c), b], 1))
        a = self.join[1](torch.cat([self.up[1](b), a], 1))
        return torch.softmax(self.out(a), 1)


class Detector(torch.nn.Module):
    """YOLO's way: SiLU, split stages, pooling pyramids, nearest upsampling, boxes from distributions."""

    def __init__(self, w=16):
        super().__init__()
        nn = torch.nn

        def conv(i, o, k=3, s=1):
            return nn.Sequential(nn.Conv2d(i, o, k, s, k // 2, bias=False), nn.BatchNorm2d(o), nn.SiLU())

        self.stem = nn.Sequential(conv(3, w, 3, 2), conv(w, 2 * w, 3, 2))
        self.split = nn.ModuleList([conv(2 * w, 2 * w, 1), conv(w, w), conv(w, w), conv(4 * w, 2 * w, 1)])
        self.deep = conv(2 * w, 4 * w, 3, 2)
        self.pool = nn.ModuleList([conv(4 * w, 2 * w, 1), nn.MaxPool2d(5, 1, 2), conv(8 * w, 4 * w, 1)])
        self.head = nn.ModuleList([conv(6 * w, 4 * w), nn.Conv2d(4 * w, 64 + 20, 1)])

    def forward(self, x):
        x = self.split[0](self.stem(x))
        a, b = x.chunk(2, 1)
        c = self.split[1](b)
        x = self.split[3](torch.cat([a, b, c, self.split[2](c)], 1))
        y = self.pool[0](self.deep(x))
        p = self.pool[1](y)
        q = self.pool[1](p)
        y = self.pool[2](torch.cat([y, p, q, self.pool[1](q)], 1))
        y = torch.nn.functional.interpolate(y, scale_factor=2.0, mode="nearest")
        y = self.head[1](self.head[0](torch.cat([y, x], 1))).flatten(2)
        box = torch.softmax(y[:, :64].reshape(1, 4, 16, -1), 2)
        return (box * torch.arange(16.0).reshape(1, 1, 16, 1)).sum(2), torch.sigmoid(y[:, 64:])


def own(module, *args, kinds=("f32", "dyn", "int8", "16x8")):
    return lambda: (module(), args, kinds)


SMALL = {"num_hidden_layers": 3, "hidden_size": 128, "num_attention_heads": 4, "intermediate_size": 384}
NETWORKS = {
    "resnet18": vision("resnet18"),
    "regnet": vision("regnet_y_400mf"),
    "mnasnet": vision("mnasnet0_5"),
    "mobilenet_v3": vision("mobilenet_v3_small"),
    "shufflenet_v2": vision("shufflenet_v2_x1_0"),
    "squeezenet": vision("squeezenet1_1"),
    "googlenet": vision("googlenet", aux_logits=False, init_weights=False),
    "densenet": vision("densenet121", 128),
    "resnext": vision("resnext50_32x4d", 128),
    "vit": vision("vit_b_32"),
    "swin": vision("swin_t", 128),
    "maxvit": vision("maxvit_t"),
    "efficientnet_v2": vision("efficientnet_v2_s", 128),
    "lraspp": segmentation("lraspp_mobilenet_v3_large"),
    "deeplab_mobilenet": segmentation("deeplabv3_mobilenet_v3_large"),
    "bert": language("BertConfig", vocab_size=500, **SMALL),
    "albert": language("AlbertConfig", vocab_size=500, embedding_size=64, **SMALL),
    "gpt2": language("GPT2Config", vocab_size=500, n_embd=128, n_layer=3, n_head=4),
    "llama": language("LlamaConfig", vocab_size=500, num_key_value_heads=2, **SMALL),
    "gemma": language("Gemma2Config", vocab_size=500, num_key_value_heads=2, head_dim=32, **SMALL),
    "deit": looks("DeiTConfig", 96, patch_size=8, **SMALL),
    "mobilevit": looks("MobileViTConfig", 128),
    "segformer": looks("SegformerConfig", 128),
    "poolformer": looks("PoolFormerConfig", 96),
    "lstm": recurrent("LSTM"),
    "gru": recurrent("GRU"),
    "speech_conv": own(SpeechConv, torch.rand(1, 1, 4000)),
    "pixel_shuffle": own(PixelShuffle, torch.rand(1, 1, 96, 96)),
    "unet": own(UNet, *image(96)),
    "detector": own(Detector, *image(160), kinds=("f32", "dyn", "int8")),  # LiteRT's SUM of int16 is wrong
}


def quantized(path, kind, inputs):
    q = quantizer.Quantizer(path, RECIPES[kind]())
    calibration = None
    if q.need_calibration:
        import ai_edge_litert.interpreter

        runner = ai_edge_litert.interpreter.Interpreter(model_path=path)
        signature = next(iter(runner.get_signature_list()))
        names = runner.get_signature_list()[signature]["inputs"]
        sample = {n: np.asarray(v) for n, v in zip(names, inputs)}
        sample = {n: v.astype(np.int32) if v.dtype == np.int64 else v for n, v in sample.items()}
        calibration = q.calibrate({signature: [sample]})
    return q.quantize(calibration).quantized_model


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder", metavar="FOLDER")
    p.add_argument("--only", default="", help="names of networks, separated by commas")
    p.add_argument("--kinds", default=",".join(KINDS), help="of %s" % ", ".join(KINDS))
    a = p.parse_args()
    os.makedirs(a.folder, exist_ok=True)
    unknown = [name for name in a.only.split(",") if name and name not in NETWORKS]
    if unknown:
        p.error("no such network: %s; there are %s" % (", ".join(unknown), ", ".join(NETWORKS)))

    def write(path, data):
        with open(path + ".part", "wb") as f:
            f.write(data)
        os.replace(path + ".part", path)
        print("%s: %d bytes" % (path, len(data)), flush=True)

    for name in a.only.split(",") if a.only else NETWORKS:
        path = os.path.join(a.folder, name + "_%s.tflite")
        if os.path.exists(path % "f32") and not a.only:
            continue
        torch.manual_seed(1)
        try:
            model, inputs, kinds = NETWORKS[name]()
            if not os.path.exists(path % "f32"):
                litert_torch.convert(model.eval(), inputs).export(path % "part")
                os.replace(path % "part", path % "f32")
                print("%s: %d bytes" % (path % "f32", os.path.getsize(path % "f32")), flush=True)
        except Exception as e:  # the converter's own kinds of failure are many
            print("left out %s: %s" % (name, str(e).strip().split("\n")[0][:160]), flush=True)
            continue
        for kind in kinds[1:]:
            if kind in a.kinds.split(",") and not os.path.exists(path % kind):
                try:
                    write(path % kind, quantized(path % "f32", kind, inputs))
                except Exception as e:  # likewise
                    print("left out %s_%s: %s" % (name, kind, str(e).strip().split("\n")[0][:160]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
