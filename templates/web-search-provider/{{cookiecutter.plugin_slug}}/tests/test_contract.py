{% include "test_plugin_contract.txt" %}
