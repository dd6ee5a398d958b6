def classify(status_code, **kwargs):
    return {"reason": "billing", "retryable": False} if status_code == 402 else None


def register(ctx):
    ctx.register_hook("transform_api_error_classification", classify)


def test_error_402_is_not_retried(hermes):
    assert hermes.fire("transform_api_error_classification", status_code=402) == [
        {"reason": "billing", "retryable": False}
    ]
