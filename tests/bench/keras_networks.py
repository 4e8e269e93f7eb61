#!/usr/bin/env python3
"""Networks that nobody tuned for: Keras builds and converts them here, with weights from a seed, for bench.py --models.

    keras_networks.py FOLDER [--only NAME[,NAME...]]

Each becomes floats (_f32), dynamic range (_dyn), int8 (_int8) and, a few of them, float16 weights (_f16). What the
converter refuses is said and left out. Files that are there already stay. Needs tensorflow (`make bench-keras` installs it
into an environment of its own)."""

import argparse
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from tensorflow import keras  # noqa: E402
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2  # noqa: E402

HALVES = ("mobilenet_v3_small", "efficientnet_b0", "vit", "unet")  # with float16 weights, too
L = keras.layers


def conv(x, channels, k=3, stride=1, act="relu", **more):
    return L.Conv2D(channels, k, stride, padding="same", activation=act, **more)(x)


def attention_block(x, heads, width, hidden, act="gelu", **more):
    y = L.LayerNormalization()(x)
    x = L.Add()([x, L.MultiHeadAttention(heads, width // heads)(y, y, **more)])
    y = L.Dense(hidden, activation=act)(L.LayerNormalization()(x))
    return L.Add()([x, L.Dense(width)(y)])


# ---- networks: functions of no arguments that give inputs and outputs ----


def vit():
    i = keras.Input((224, 224, 3))
    x = L.Reshape((196, 192))(L.Conv2D(192, 16, 16)(i))
    for _ in range(4):
        x = attention_block(x, 3, 192, 768)
    return i, L.Dense(1000)(L.GlobalAveragePooling1D()(L.LayerNormalization()(x)))


def encoder():
    i = keras.Input((128,), dtype="int32")
    x = L.Embedding(2000, 128)(i)
    for _ in range(4):
        x = attention_block(x, 4, 128, 512)
    return i, L.Dense(2)(x)


def decoder():
    i = keras.Input((96,), dtype="int32")
    x = L.Embedding(500, 96)(i)
    for _ in range(3):
        x = attention_block(x, 4, 96, 384, "silu", use_causal_mask=True)
    return i, L.Dense(500)(x)


def mixer():
    i = keras.Input((128, 128, 3))
    x = L.Reshape((256, 128))(L.Conv2D(128, 8, 8)(i))
    for _ in range(4):
        y = L.Permute((2, 1))(L.LayerNormalization()(x))
        x = L.Add()([x, L.Permute((2, 1))(L.Dense(256)(L.Dense(256, activation="gelu")(y)))])
        y = L.LayerNormalization()(x)
        x = L.Add()([x, L.Dense(128)(L.Dense(512, activation="gelu")(y))])
    return i, L.Dense(10)(L.GlobalAveragePooling1D()(x))


def unet():
    x = i = keras.Input((128, 128, 3))
    kept = []
    for c in (16, 32, 64):
        kept.append(conv(conv(x, c), c))
        x = L.MaxPool2D()(kept[-1])
    x = conv(x, 128)
    for c in (64, 32, 16):
        x = L.Concatenate()([L.Conv2DTranspose(c, 2, 2)(x), kept.pop()])
        x = conv(conv(x, c), c)
    return i, conv(x, 4, 1, act="softmax")


def wavenet():
    i = keras.Input((2048, 1))
    x, sums = L.Conv1D(32, 3, padding="causal")(i), []
    for d in (1, 2, 4, 8, 16, 32):
        a, b = (L.Conv1D(32, 3, padding="causal", dilation_rate=d, activation=f)(x) for f in ("tanh", "sigmoid"))
        sums.append(L.Conv1D(32, 1)(L.Multiply()([a, b])))
        x = L.Add()([x, sums[-1]])
    return i, L.Conv1D(16, 1)(L.Conv1D(64, 1, activation="relu")(L.ReLU()(L.Add()(sums))))


def style():
    def normal(x):
        mean = keras.ops.mean(x, axis=(1, 2), keepdims=True)
        spread = keras.ops.mean(keras.ops.square(x - mean), axis=(1, 2), keepdims=True)
        return (x - mean) / keras.ops.sqrt(spread + 1e-5)

    i = keras.Input((128, 128, 3))
    x = L.ReLU()(normal(conv(i, 32, 9, act=None)))
    for c in (64, 128):
        x = L.ReLU()(normal(conv(x, c, 3, 2, act=None)))
    for _ in range(3):
        y = L.ReLU()(normal(conv(x, 128, act=None)))
        x = L.Add()([x, normal(conv(y, 128, act=None))])
    for c in (64, 32):
        x = L.ReLU()(normal(conv(L.UpSampling2D()(x), c, act=None)))
    return i, conv(x, 3, 9, act="tanh")


def groups_normal():
    i = keras.Input((64, 64, 3))
    x = conv(i, 32, act=None)
    for _ in range(3):
        x = L.Add()([x, conv(L.Activation("silu")(L.GroupNormalization(8)(x)), 32, act=None)])
    return i, conv(x, 3, act=None)


def super_resolution():
    i = keras.Input((120, 160, 1))
    x = conv(conv(conv(i, 64, 5, act="tanh"), 32, act="tanh"), 9, act=None)
    return i, L.Lambda(lambda t: tf.nn.depth_to_space(t, 3))(x)


def keywords():
    i = keras.Input((49, 10, 1))
    x = conv(i, 64, (10, 4), 2)
    for _ in range(4):
        x = conv(L.ReLU()(L.DepthwiseConv2D(3, padding="same")(x)), 64, 1)
    return i, L.Dense(12, activation="softmax")(L.GlobalAveragePooling2D()(x))


def autoencoder():
    x = i = keras.Input((640,))
    for n in (128, 128, 128, 8, 128, 128, 128):
        x = L.Dense(n, activation="relu")(x)
    return i, L.Dense(640)(x)


def shuffle():
    def branch(x, c, stride):
        return conv(L.DepthwiseConv2D(3, stride, padding="same")(conv(x, c, 1)), c, 1)

    i = keras.Input((128, 128, 3))
    x = L.MaxPool2D(3, 2, padding="same")(conv(i, 24, 3, 2))
    for c, n in ((116, 3), (232, 4)):
        side = conv(L.DepthwiseConv2D(3, 2, padding="same")(x), c // 2, 1)
        x = L.Concatenate()([side, branch(x, c // 2, 2)])
        for _ in range(n):
            h, w = x.shape[1:3]
            x = L.Reshape((h, w, c))(L.Permute((1, 2, 4, 3))(L.Reshape((h, w, 2, c // 2))(x)))
            a, b = keras.ops.split(x, 2, axis=-1)
            x = L.Concatenate()([a, branch(b, c // 2, 1)])
    return i, L.Dense(100)(L.GlobalAveragePooling2D()(x))


def grouped():
    i = keras.Input((64, 64, 3))
    x = conv(i, 64)
    for _ in range(3):
        x = L.ReLU()(L.Add()([x, conv(conv(conv(x, 64, 1), 64, groups=8), 64, 1, act=None)]))
    return i, L.Dense(10)(L.GlobalAveragePooling2D()(x))


def detector():
    swish = keras.activations.hard_swish
    i = keras.Input((160, 160, 3))
    x, boxes = conv(i, 16, 3, 2), []
    for c, stride in ((24, 2), (32, 2), (64, 1), (96, 2), (128, 2)):
        y = conv(x, 4 * x.shape[-1], 1, act=swish)
        y = L.DepthwiseConv2D(5 if c > 32 else 3, stride, padding="same", activation=swish)(y)
        gate = conv(L.GlobalAveragePooling2D(keepdims=True)(y), y.shape[-1] // 4, 1)
        x = conv(L.Multiply()([y, conv(gate, y.shape[-1], 1, act="hard_sigmoid")]), c, 1, act=None)
        if c >= 64:
            boxes.append(L.Reshape((-1, 4))(conv(x, 12, act=None)))
    return i, L.Concatenate(axis=1)(boxes)


def pyramid():
    x = i = keras.Input((96, 96, 3))
    levels = []
    for c in (32, 64, 96):
        x = conv(x, c, 3, 2, act="silu")
        levels.append(L.Conv2D(48, 1)(x))
    y = levels[2]
    for level in levels[1::-1]:
        y = conv(L.Add()([L.UpSampling2D(interpolation="bilinear")(y), level]), 48, act="silu")
    return i, conv(y, 6, 1, act="sigmoid")


def dilated():
    i = keras.Input((80, 80, 3))
    x = conv(i, 32, 3, 2)
    for d in (2, 4, 8):
        x = L.DepthwiseConv2D(3, padding="same", dilation_rate=d)(conv(x, 32, dilation_rate=d))
    pool = L.Conv2D(32, 1)(L.GlobalAveragePooling2D(keepdims=True)(x))
    x = L.Concatenate()([x, L.UpSampling2D(40, interpolation="bilinear")(pool)])
    x = L.Resizing(80, 80)(L.Conv2D(21, 1)(x))
    return i, L.Lambda(lambda t: tf.argmax(t, -1, output_type=tf.int32))(x)


def lines():
    x = i = keras.Input((1024, 8))
    for c in (32, 64, 64):
        x = L.MaxPool1D(2)(L.SeparableConv1D(c, 9, padding="same", activation="relu")(x))
    return i, L.Dense(10)(L.GlobalMaxPooling1D()(L.Conv1DTranspose(32, 4, 2, padding="same")(x)))


def volumes():
    i = keras.Input((8, 32, 32, 3))
    x = L.Conv3D(16, 3, padding="same", activation="relu")(i)
    x = L.Conv3D(32, 3, 2, padding="same", activation="relu")(x)
    return i, L.Dense(10)(L.GlobalAveragePooling3D()(L.Conv3DTranspose(16, 2, 2)(x)))


def odd_activations():
    x = i = keras.Input((64, 64, 3))
    for c in (16, 32, 64):
        x = L.LeakyReLU()(L.AveragePooling2D(2)(L.PReLU(shared_axes=[1, 2])(conv(x, c, act=None))))
    x = conv(conv(x, 64, act="elu"), 64, act="softplus")
    return i, L.Dense(64, activation="selu")(L.Flatten()(x))


def channels_first():
    i = keras.Input((3, 96, 96))
    return i, L.Permute((3, 1, 2))(conv(conv(L.Permute((2, 3, 1))(i), 32, 3, 2), 64, 3, 2))


def application(name, size=224, **more):
    def build():
        model = getattr(keras.applications, name)(weights=None, input_shape=(size, size, 3), classes=1000, **more)
        return model.input, model.output

    return build


NETWORKS = {
    "mobilenet_v1": application("MobileNet", 128, alpha=0.5),
    "mobilenet_v2": application("MobileNetV2", 160, alpha=0.75),
    "mobilenet_v3_small": application("MobileNetV3Small"),
    "mobilenet_v3_large": application("MobileNetV3Large"),
    "efficientnet_b0": application("EfficientNetB0"),
    "efficientnet_v2_b0": application("EfficientNetV2B0"),
    "resnet50": application("ResNet50"),
    "densenet121": application("DenseNet121"),
    "nasnet_mobile": application("NASNetMobile"),
    "xception": application("Xception"),
    "inception_v3": application("InceptionV3", 139),
    "convnext_tiny": application("ConvNeXtTiny", 128),
}
OWN = (
    vit,
    encoder,
    decoder,
    mixer,
    unet,
    wavenet,
    style,
    groups_normal,
    super_resolution,
    keywords,
    autoencoder,
    shuffle,
)
OWN += (grouped, detector, pyramid, dilated, lines, volumes, odd_activations, channels_first)
NETWORKS.update((f.__name__, f) for f in OWN)


# ---- conversion ----


def converted(model, kind):
    def given(t):
        r = np.random.RandomState(0)
        shape = [1, *t.shape[1:]]
        return r.randint(0, 499, shape).astype(np.int32) if t.dtype == "int32" else r.rand(*shape).astype(np.float32)

    @tf.function(input_signature=[tf.TensorSpec([1, *t.shape[1:]], t.dtype) for t in model.inputs])
    def call(x):
        return model(x, training=False)

    c = tf.lite.TFLiteConverter.from_concrete_functions(
        [convert_variables_to_constants_v2(call.get_concrete_function())]
    )
    if kind != "f32":
        c.optimizations = [tf.lite.Optimize.DEFAULT]
    if kind == "f16":
        c.target_spec.supported_types = [tf.float16]
    if kind == "int8":
        c.representative_dataset = lambda: ([given(t) for t in model.inputs] for _ in range(2))
        c.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        if model.inputs[0].dtype != "int32":
            c.inference_input_type = tf.int8
        c.inference_output_type = tf.int8
    return c.convert()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder", metavar="FOLDER")
    p.add_argument("--only", default="", help="names of networks, separated by commas")
    a = p.parse_args()
    os.makedirs(a.folder, exist_ok=True)
    unknown = [name for name in a.only.split(",") if name and name not in NETWORKS]
    if unknown:
        p.error("no such network: %s; there are %s" % (", ".join(unknown), ", ".join(NETWORKS)))
    for name in a.only.split(",") if a.only else NETWORKS:
        kinds = ("f32", "dyn", "int8", *(("f16",) if name in HALVES else ()))
        todo = {k: os.path.join(a.folder, "%s_%s.tflite" % (name, k)) for k in kinds}
        if all(map(os.path.exists, todo.values())):
            continue
        keras.utils.set_random_seed(1)
        model = keras.Model(*NETWORKS[name]())
        for kind, path in todo.items():
            try:
                data = converted(model, kind)
            except Exception as e:  # the converter's own kinds of failure are many
                print("left out %s_%s: %s" % (name, kind, str(e).strip().split("\n")[0][:160]), flush=True)
                continue
            with open(path + ".part", "wb") as f:
                f.write(data)
            os.replace(path + ".part", path)
            print("%s: %d bytes" % (path, len(data)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
