// So that this folder can be CUDA_PATH.
