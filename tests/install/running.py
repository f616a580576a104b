"""What the tests of installations share."""

import subprocess

EXPECTED = "8 8\n26 26\n0 8\n16 26\nmatrix_product: "  # of examples/consumer


def run(*command, **options):
    """The command's output; a failure of the test, with all it said, where it fails."""
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                            check=False, **options)
    if result.returncode != 0:
        raise AssertionError(f"{command} failed:\n{result.stdout}{result.stderr}")
    return result.stdout
