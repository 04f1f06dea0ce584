"""Softmax of 512 rows of 128 numbers, 128 rows in each round of a loop. Prints the tile graph."""

from dialect import frontend as pypto

MATRIX = pypto.tensor((512, 128), pypto.DT_FP32)


@pypto.jit(pass_options={"vec_nbuffer_setting": {"DEFAULT": 2}})
def softmax(x: MATRIX, y: MATRIX):
    for block in pypto.loop(4, name="blocks"):
        for part in range(2):
            first = block * 128 + part * 64
            rows = x[first : first + 64]
            pypto.set_semantic_label("weights")
            weights = pypto.exp(rows - pypto.amax(rows))
            pypto.set_semantic_label("")
            y[first : first + 64] = weights / pypto.sum(weights)
        pypto.set_pass_options(vec_nbuffer_setting={"DEFAULT": 4, "weights": 1})


if __name__ == "__main__":
    print(softmax.module)
