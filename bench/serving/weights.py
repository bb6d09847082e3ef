"""Rewrites the weights of a GGUF file as bf16 or Q8_0, so that two servers can read the same ones.

    python bench/serving/weights.py IN.gguf OUT.gguf BF16|Q8_0

Matrices are rewritten; vectors, which are norms, become f32. The environment needs the package gguf.
"""
import sys

import gguf
from gguf.quants import dequantize, quantize


def rewrite(source, target, kind):
    reader = gguf.GGUFReader(source)
    architecture = reader.fields["general.architecture"].contents()
    writer = gguf.GGUFWriter(target, architecture)
    for name, field in reader.fields.items():
        if name.startswith("GGUF.") or name in ("general.architecture", "general.file_type", "general.quantization_version"):
            continue
        writer.add_key_value(name, field.contents(), field.types[0], field.types[-1] if field.types[0] == gguf.GGUFValueType.ARRAY else None)
    writer.add_file_type({"BF16": gguf.LlamaFileType.MOSTLY_BF16, "Q8_0": gguf.LlamaFileType.MOSTLY_Q8_0}[kind])
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
    for tensor in reader.tensors:
        values = dequantize(tensor.data, tensor.tensor_type).reshape([int(n) for n in reversed(tensor.shape)])
        to = gguf.GGMLQuantizationType.F32 if values.ndim < 2 else gguf.GGMLQuantizationType[kind]
        writer.add_tensor(tensor.name, quantize(values, to), raw_dtype=to)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    rewrite(*sys.argv[1:])
