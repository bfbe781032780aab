# An empty machine: a Python, and a folder of models that five releases of Paddle saved.
ls fleet fleet/team-0 | head -12
first=$(echo fleet/team-0/000-*)/model
python3 -m venv venv && . venv/bin/activate
# The first command of the README.
pip install -q 'compatload[cpu]'
compatload --version
compatload demo 2>/dev/null | tail -5
# The upgrade has brought what it brings:
python -W ignore -c "import paddle; paddle.jit.load('$first')" 2>&1 | tail -1 | tee message
# The pages of symptoms with that message:
python search.py "$(cat message)"
# It says what to do:
python -W ignore -c "import compatload; print(compatload.load_report(compatload.safe_load('$first')).step.strategy.value)" 2>/dev/null
# The whole fleet, before anything is changed.
pip install -q 'compatload[check]'
compatload check fleet --target paddle==3.3.1 --format html --output check.html --no-progress
compatload check fleet --target paddle==3.3.1 | grep -v '^    ' | cut -c1-130 | tail -6
# All of it made ready for that release, and what lies beside the models.
compatload migrate fleet ready --to paddle==3.3.1 --no-verify --no-progress --output migrated.txt
grep -A1 failed migrated.txt | cut -c1-130 | head -6
# The same again: what is done is not done twice.
compatload migrate fleet ready --to paddle==3.3.1 --no-verify --no-progress --output again.txt
# Served, by Paddle and by compatload: every model answers what it answered where it was saved.
python -W ignore serve.py fleet ready 2>/dev/null | grep :
