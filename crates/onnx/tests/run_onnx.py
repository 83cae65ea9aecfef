"""Runs ONNX models for `onnx_runtime.rs`: run_onnx.py FOLDER, where cases.json lists the cases.

Checks each model with `onnx.checker` if onnx is installed, evaluates the inputs NAME.in.INPUT of
each case and writes NAME.out.OUTPUT, raw 32-bit floats. Prints one JSON object a case: names, shapes
and documentation of inputs and outputs, and the metadata. Prints `none` without onnxruntime or numpy.
"""

import json
import sys
from pathlib import Path

try:
    import numpy as np
    import onnxruntime as ort
except ImportError as error:
    print("none:", error)
    sys.exit()
try:
    import onnx
except ImportError:
    onnx = None


def run(folder, case):
    path = folder / case["model"]
    if onnx:
        onnx.checker.check_model(str(path), full_check=True)
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    name = case["name"]
    feed = {}
    for value, shape in case["inputs"].items():
        feed[value] = np.fromfile(folder / f"{name}.in.{value}", "<f4").reshape(shape)
    outputs = [output.name for output in session.get_outputs()]
    answers = dict(zip(outputs, session.run(outputs, feed)))
    for value, answer in answers.items():
        answer.astype("<f4").tofile(folder / f"{name}.out.{value}")
    # A batch of another size is answered by the same model, alike.
    first = session.run(outputs, {value: array[:1] for value, array in feed.items()})
    for value, answer in zip(outputs, first):
        assert np.abs(answer - answers[value][:1]).max() < 1e-4, (name, value)
    said = {
        "checked": onnx is not None,
        "inputs": {x.name: x.shape for x in session.get_inputs()},
        "outputs": {x.name: x.shape for x in session.get_outputs()},
        "shapes": {value: list(answer.shape) for value, answer in answers.items()},
        "metadata": session.get_modelmeta().custom_metadata_map,
    }
    if onnx:
        graph = onnx.load(path).graph
        said["docs"] = {x.name: x.doc_string for x in [*graph.input, *graph.output]}
    print(json.dumps(said))


folder = Path(sys.argv[1])
for case in json.loads((folder / "cases.json").read_text()):
    run(folder, case)
