/** A site's own Python on a minion: synced, described, run, and what happens when it goes wrong. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { EventBusReader } from '../../src/network/events/bus-client.ts';
import { Fleet, ours, until } from '../support/fleet.ts';

const skip = spawnSync('python3', ['--version']).status === 0 ? false : 'there is no python3';

const MODULE = `
"""What the site does."""
import functools
import logging
import os
import sys
import time

import salt.utils.path
from salt.exceptions import CommandExecutionError

log = logging.getLogger(__name__)
__virtualname__ = "mysite"
__func_alias__ = {"list_": "list"}


def __virtual__():
    return __virtualname__


def hello(name, greeting="hello", *rest, **kwargs):
    """
    Says hello.

    CLI Example:

    .. code-block:: bash

        salt '*' mysite.hello you
    """
    words = {key: value for key, value in kwargs.items() if not key.startswith("__")}
    return [greeting, name, list(rest), words, __grains__["place"], __pillar__.get("colour")]


def list_():
    return sorted({3, 1, 2})


def through():
    return [__salt__["cmd.run"]("echo hi"), __salt__.test.echo("x"), __utils__["tool.double"](4), __utils__["tools.triple"](4), "no.such" in __salt__]


def back():
    return __salt__["mysite.list"]()


def caught():
    try:
        __salt__["no.such"]()
    except KeyError as error:
        return str(error)


def steps():
    for at in range(2):
        yield {at: at}


def broken():
    raise CommandExecutionError("it is broken")


def boom():
    return {}["nothing"]


def leave():
    os._exit(3)


def exit_():
    sys.exit(4)


def eat():
    return len(bytearray(1 << 30))


def _doubled(wrapped):
    @functools.wraps(wrapped)
    def wrapper(*args):
        return wrapped(*args) * 2

    return wrapper


@_doubled
def decorated(text, more="!"):
    return text + more


def retcode():
    __context__["retcode"] = 5
    print("this is not JSON")
    return False
`;
const STATE = `
def present(name, value=1):
    ret = {"name": name, "changes": {}, "result": True, "comment": "there"}
    if __opts__["test"]:
        ret["result"] = None
        return ret
    ret["changes"] = {"value": value, "list": __salt__["mysite.list"](), "id": __low__["__id__"]}
    ret["comment"] = __serializers__["json.serialize"]([]) + __states__["test.succeed_without_changes"](name="x")["comment"]
    ret["result"] = __states__["test.configurable_test_state"]("x", False, result=True)["result"]
    return ret
`;
const RUNNER = `
def go():
    __jid_event__.fire_event({"message": "a step"}, "progress")
    __jid_event__.fire_event({"n": 1}, "mine")
    return [__salt__["test.arg"](1)["args"], "no.such" in __salt__, "test.arg" in list(__salt__)]


def unwell():
    __context__["retcode"] = 3
    return "not well"
`;
const HOOKED = `
def done(name, value=0, **kwargs):
    comment = "{} after {}".format(value, __context__.get("began"))
    return {"name": name, "changes": {}, "result": True, "comment": comment}


def mod_init(low):
    __context__["began"] = __context__.get("began", 0) + 1
    return True


def mod_aggregate(low, chunks, running):
    low["value"] = len([one for one in chunks if one["state"] == low["state"]])
    return low


def mod_watch(name, sfun=None, __reqs__=None, **kwargs):
    return {"name": name, "changes": {"by": sfun}, "result": True, "comment": __reqs__["watch"][0]["__id__"]}
`;
const HOOKS_SLS = `
changing:
  test.succeed_with_changes: []
first:
  hooked.done:
    - aggregate: True
second:
  hooked.done:
    - watch: [test: changing]
`;
const SLS = `#!py
"""What Python makes of the pillar."""
from collections import OrderedDict

NAMES = ("a", "b")


def run():
    high = OrderedDict()
    for one in NAMES:
        high["id " + one] = {"thing.present": [{"name": one}, {"value": __salt__["mysite.list"]()[0]}]}
    text = " ".join([sls, __sls__, saltenv, __env__, grains["place"], pillar["colour"], opts["id"]])
    high["show"] = {"test.configurable_test_state": [{"comment": text}, {"changes": False}, {"result": True}]}
    high[pillar["out"]] = {"file.managed": [{"source": "salt://made.txt.py"}, {"template": "py"}, {"context": {"who": "me"}}]}
    return high
`;
const PILLAR = `#!py
import os


def run():
    return {"colour": "red of " + __grains__["id"] + __salt__["test.echo"]("!"), "out": OUT}
`;
const EXT_PILLAR = `
import os

__virtualname__ = "sitedb"


def __virtual__():
    return __virtualname__


def ext_pillar(minion_id, pillar, *args, extra_minion_data=None, **kwargs):
    while os.path.exists(args[2]):
        pass
    return {"db": [minion_id, sorted(pillar), list(args[:2]), __grains__["id"], __opts__["id"], __salt__["test.echo"]("z"), extra_minion_data]}
`;
const OUTPUTTER = `
def output(data, **kwargs):
    return "shown: {} {}".format(sorted(data.items()), __opts__["color"])
`;
const AUTH = `
def auth(username, password):
    if password == "raise":
        raise ValueError("what of " + password)
    return username == "ann" and password == "right"


def groups(username):
    return [__salt__["cmd.run"]("echo crew")]
`;
const TOP = `
__virtualname__ = "sitetops"


def __virtual__():
    return __virtualname__ if "sitetops" in __opts__["master_tops"] else False


def top(**kwargs):
    if kwargs["opts"]["id"] != kwargs["grains"]["id"]:
        raise ValueError("whose are these?")
    return {"base": [__opts__["master_tops"]["sitetops"]["sls"], kwargs["grains"]["place"]]}
`;
const WHEEL = `
def count(*what):
    return [len(what), __opts__["sock_dir"] != ""]
`;
const BEACON = `
def validate(config):
    return ("said" in config[0], "it needs said")


def beacon(config):
    __context__["looks"] = __context__.get("looks", 0) + 1
    return [{"tag": "seen", "said": config[0]["said"], "name": config[-1]["_beacon_name"], "echo": __salt__["test.echo"]("e"), "looks": __context__["looks"]}]
`;
const RENDERER = `
import io


def render(data, saltenv="base", sls="", argline="", **kwargs):
    text = data.read().partition("\\n")[2]
    return io.StringIO(text.replace("WHAT", " ".join([saltenv, sls, argline, __grains__["id"]])))
`;

test('python modules - functions, grains and states of the site', { skip }, async (t) => {
  const fleet = await Fleet.create(t);
  const hangs = fleet.path('hangs');
  fleet.configureMaster([
    'auto_accept: True',
    `file_roots: {base: [${fleet.path('srv')}]}`,
    `pillar_roots: {base: [${fleet.path('pillar')}]}`,
    `ext_pillar: [{sitedb: [a, 2, ${hangs}]}]`,
    'python_seconds_max: 1',
    'master_tops: {sitetops: {sls: made}}',
    'external_auth: {siteauth: {"crew%": [test.echo]}}',
  ]);
  const out = fleet.path('out', 'made.txt');
  fleet.write(fleet.path('pillar'), 'top.sls', ['#!py', 'def run():', '    return {"base": {"*": ["p"]}}']);
  fleet.write(fleet.path('pillar'), 'p.sls', PILLAR.replace('OUT', JSON.stringify(out)).split('\n'));
  const files: Record<string, string> = {
    '_modules/site.py': MODULE,
    '_modules/wrong.py': 'import no_such_package\n',
    '_modules/elsewhere.py':
      'def __virtual__():\n    return False, "not on this machine"\n\n\ndef f():\n    pass\n',
    '_grains/place.py': 'def place():\n    return {"place": "here"}\n',
    '_utils/tool.py': 'def double(n):\n    return n * 2\n',
    '_utils/tool_more.py': 'def __virtual__():\n    return "tools"\n\ndef triple(n):\n    return n * 3\n',
    '_states/thing.py': STATE,
    '_states/hooked.py': HOOKED,
    'hooks.sls': HOOKS_SLS,
    '_modules/parts/__init__.py':
      'from . import inner\nfrom .other import twice\n\n\ndef f(x=3):\n    return twice(inner.ONE + x)\n',
    '_modules/beside.py':
      'import tool\nfrom place_of import PLACE\n\n\ndef f():\n    return [tool.double(2), PLACE]\n',
    '_modules/place_of.py': 'PLACE = "beside"\n',
    '_modules/parts/inner.py': 'ONE = 1\n',
    '_modules/parts/other.py': 'from .inner import ONE\n\n\ndef twice(x):\n    return 2 * x * ONE\n',
    '_pillar/site_db.py': EXT_PILLAR,
    '_renderers/upper.py': RENDERER,
    '_beacons/looker.py': BEACON,
    'upper.sls': '#!upper -x|yaml\nshown:\n  test.show_notification:\n    - text: WHAT\n',
    'made.sls': SLS,
    'made.txt.py': 'def run():\n    return context["who"] + " " + name + " " + __pillar__["colour"]\n',
    'hangs.sls': '#!py\n\ndef run():\n    while True:\n        pass\n',
    'patient.sls':
      '#!py\n\ndef run():\n    __salt__["test.sleep"](1.2)\n    return {"x": {"test.succeed_without_changes": []}}\n',
    'wrong.sls': '#!py\n\ndef run():\n    return {}["nothing"]\n',
    'one.sls': 'a thing:\n  thing.present:\n    - value: 3\n',
  };
  for (const [name, text] of Object.entries(files))
    fleet.write(fleet.path('srv', dirname(name)), basename(name), text.split('\n'));
  // as saltutil.sync_pillar leaves it on a master
  fleet.write(fleet.path('m', 'cache', 'extmods', 'pillar'), 'site_db.py', EXT_PILLAR.split('\n'));
  fleet.write(fleet.path('m', 'cache', 'extmods', 'runners'), 'walk.py', RUNNER.split('\n'));
  fleet.write(fleet.path('m', 'cache', 'extmods', 'tops'), 'site_tops.py', TOP.split('\n'));
  fleet.write(fleet.path('m', 'cache', 'extmods', 'wheel'), 'tally.py', WHEEL.split('\n'));
  fleet.write(fleet.path('m', 'cache', 'extmods', 'output'), 'plain.py', OUTPUTTER.split('\n'));
  fleet.write(fleet.path('m', 'cache', 'extmods', 'auth'), 'siteauth.py', AUTH.split('\n'));
  const master = await fleet.startMaster();
  await fleet.joinMinion('one', [
    'python_memory_bytes_max: 800000000',
    'python_seconds_max: 1',
    'pass_to_ext_pillars: ["site:role", other]',
    'site: {role: web, secret: x}',
  ]);
  const ask = async (...words: string[]) => (await fleet.json(['one', ...words]))['one'];
  const fails = async (...words: string[]) => {
    const { code, stdout } = await fleet.salt(['one', ...words]);
    assert.notEqual(code, 0, words.join(' '));
    return stdout;
  };

  await t.test('all of it is synced', async () => {
    const synced = (await ask('saltutil.sync_all')) as Record<string, unknown>;
    assert.deepEqual(synced['modules'], [
      'modules.beside',
      'modules.elsewhere',
      'modules.parts.__init__',
      'modules.parts.inner',
      'modules.parts.other',
      'modules.place_of',
      'modules.site',
      'modules.wrong',
    ]);
    assert.deepEqual(synced['states'], ['states.hooked', 'states.thing']);
    assert.equal(await ask('grains.get', 'place'), 'here');
    assert.ok(existsSync(fleet.path('one', 'cache', 'python', 'brine_guest.serve.pyc')));
  });

  await t.test('functions are called with what Python says of their arguments', async () => {
    assert.deepEqual(await ask('mysite.hello', 'you', 'good day', '1', 'word=2'), [
      'good day',
      'you',
      [1],
      { word: 2 },
      'here',
      'red of one!',
    ]);
    assert.deepEqual(await ask('beside.f'), [4, 'beside']);
    assert.equal(await ask('mysite.decorated', 'a'), 'a!a!');
    assert.deepEqual(await ask('mysite.list'), [1, 2, 3]);
    assert.deepEqual(await ask('mysite.through'), ['hi', 'x', 8, 12, false]);
    assert.deepEqual(await ask('mysite.back'), [1, 2, 3]);
    assert.equal(await ask('mysite.caught'), "'no.such'");
    assert.match(await fails('mysite.hello'), /missing 1 required positional argument: 'name'/);
    assert.match(
      (await fleet.salt(['one', 'sys.doc', 'mysite.hello'])).stdout,
      /Says hello\.[^]*salt '\*' mysite\.hello you/,
    );
  });

  await t.test('what goes wrong is one sentence, and the next call works', async () => {
    assert.match(await fails('mysite.broken'), /ERROR: it is broken/);
    assert.match(await fails('mysite.boom'), /site\.py", line \d+, in boom[^]*KeyError: 'nothing'/);
    assert.match(
      await fails('mysite.leave'),
      /site\.py: leave: it ended its Python process with exit code 3 \(line \d+\)/,
    );
    assert.match(
      await fails('mysite.eat'),
      /in eat[^]*MemoryError: there is no memory left for it; python_mem/,
    );
    assert.match(await fails('mysite.exit_'), /sys\.exit\(4\)/);
    assert.match(
      await fails('wrong.anything'),
      /wrong\.py cannot be loaded: ModuleNotFoundError: No module named 'no_such_package'/,
    );
    assert.match(await fails('elsewhere.f'), /not on this machine/);
    const { code, stdout } = await fleet.salt(['one', '--out', 'json', 'mysite.retcode']);
    assert.deepEqual([JSON.parse(stdout), code === 0], [{ one: false }, false]);
    assert.deepEqual(await ask('mysite.list'), [1, 2, 3]);
  });

  await t.test('states', async () => {
    const [result] = Object.values(
      (await ask('state.apply', 'one')) as Record<string, Record<string, unknown>>,
    );
    assert.deepEqual(result?.['changes'], { value: 3, list: [1, 2, 3], id: 'a thing' });
    assert.equal(result?.['comment'], '[]Success!');
    const [dry] = Object.values(
      (await ask('state.apply', 'one', 'test=True')) as Record<string, Record<string, unknown>>,
    );
    assert.equal(dry?.['result'], null);
  });

  await t.test('what a state module does once, for many, and when watched things change', async () => {
    const ran = Object.values(
      (await ask('state.apply', 'hooks')) as Record<string, Record<string, unknown>>,
    ).map(({ comment, changes }) => [comment, changes]);
    // what follows a change is called in another way, and is not joined
    assert.deepEqual(ran.slice(1), [
      ['1 after 1', {}],
      ['changing', { by: 'done' }],
    ]);
  });

  await t.test('an outputter, and an authentication system with groups', async () => {
    const shown = await fleet.salt(['one', '--out', 'plain', '--no-color', 'test.echo', 'x']);
    assert.equal(shown.stdout, "shown: [('one', 'x')] False\n");
    const log = async (password: string) => {
      const login = ['-a', 'siteauth', '--username', 'ann', '--password', password];
      const { stdout, stderr } = await fleet.salt([...login, '--out', 'json', 'one', 'test.echo', 'in']);
      return stdout + stderr;
    };
    assert.deepEqual(JSON.parse(await log('right')), { one: 'in' });
    assert.match(await log('wrong'), /Authentication/);
    assert.match(await log('raise'), /Authentication/);
    await master.logged('what of ***');
  });

  await t.test('packages, an external pillar and a renderer', async () => {
    assert.equal(await ask('parts.f', '4'), 10);
    assert.deepEqual(await ask('pillar.get', 'db'), [
      'one',
      ['colour', 'out'],
      ['a', 2],
      'one',
      'one',
      'z',
      { site: { role: 'web' } },
    ]);
    const [shown] = Object.values(
      (await ask('state.apply', 'upper')) as Record<string, Record<string, unknown>>,
    );
    assert.equal(shown?.['comment'], 'base upper -x one');
  });

  await t.test('what hangs while it is rendered is ended, but not what waits for a function', async () => {
    assert.match(
      await fails('state.apply', 'hangs'),
      /hangs\.sls: it does not come back within 1 seconds \(option python_seconds_max\) \(line [45]\)/,
    );
    assert.equal(Object.keys((await ask('state.apply', 'patient')) as object).length, 1);
    writeFileSync(hangs, '');
    assert.equal(((await ask('pillar.items')) as Record<string, unknown>)['db'], undefined);
    rmSync(hangs);
    await master.logged(
      'site_db.py: ext_pillar: it does not come back within 1 seconds (option python_seconds_max) (line ',
    );
    assert.notEqual(((await ask('pillar.items')) as Record<string, unknown>)['db'], undefined);
  });

  await t.test('progress of a runner, and of a function that yields', async () => {
    const tags: string[] = [];
    const bus = await EventBusReader.connect(
      fleet.path('m', 'run', 'master_event_pub.ipc'),
      () => true,
      ({ tag }) => void tags.push(tag),
    );
    assert.deepEqual(await ask('mysite.steps'), { 0: 0, 1: 1 });
    const { stdout } = await fleet.run('salt-run', ['--out', 'json', 'walk.go']);
    assert.match(stdout, /a step[^]*\[\s*\[\s*1\s*\],\s*false,\s*true\s*\]/);
    const endings = ['/prog/one/0', '/prog/one/1', '/progress', '/mine'];
    await until('the events', () => endings.every((end) => tags.some((tag) => tag.endsWith(end))));
    bus.close();
  });

  await t.test('a runner that sets a return code has failed, alone and in an orchestration', async () => {
    fleet.write(fleet.path('srv'), 'unwell.sls', [
      'unwell: {salt.runner: [{name: walk.unwell}]}',
      'after: {test.nop: [{require: [{salt: unwell}]}]}',
    ]);
    const alone = await fleet.run('salt-run', ['--out', 'json', 'walk.unwell']);
    assert.deepEqual([JSON.parse(alone.stdout), alone.code], ['not well', 3]);
    const { stdout, code } = await fleet.run('salt-run', ['--out', 'json', 'state.orchestrate', 'unwell']);
    assert.match(stdout, /Runner function 'walk\.unwell' failed\./);
    assert.match(stdout, /One or more requisite failed: unwell\.unwell/);
    assert.equal(code, 1);
  });

  await t.test('a source of top data, and a function of the wheel', async () => {
    assert.deepEqual(await ask('state.show_top'), { base: ['made', 'here'] });
    const { stdout } = await fleet.run('salt-run', [
      '--out',
      'json',
      'salt.cmd',
      'saltutil.wheel',
      'tally.count',
      'a',
    ]);
    assert.deepEqual((JSON.parse(stdout) as { return: unknown }).return, [1, true]);
  });

  await t.test('a beacon', async () => {
    const add = async (config: string) => (await ask('beacons.add', 'mine', config)) as { comment: string };
    assert.match((await add('[{beacon_module: looker}, {no: 1}]')).comment, /it needs said/);
    const listen = fleet.start('salt-run', [
      '-c',
      fleet.masterDir,
      'state.event',
      'salt/beacon/*',
      'count=1',
    ]);
    assert.match((await add('[{said: hi}, {beacon_module: looker}, {interval: 0.1}]')).comment, /^Added/);
    assert.equal(await listen.exited, 0);
    await ask('beacons.delete', 'mine');
    assert.match(listen.log, /^salt\/beacon\/one\/mine\/seen\t\{"said": "hi", "name": "mine", "echo": "e"/);
  });

  await t.test('SLS in #!py and a template in Python, with pillar in #!py', async () => {
    mkdirSync(dirname(out), { recursive: true });
    const made = Object.values((await ask('state.apply', 'made')) as Record<string, Record<string, unknown>>);
    assert.deepEqual(
      made.map(({ name, result, changes, comment }) => [name, result, changes, comment]).slice(0, 3),
      [
        ['a', true, { value: 1, list: [1, 2, 3], id: 'id a' }, '[]Success!'],
        ['b', true, { value: 1, list: [1, 2, 3], id: 'id b' }, '[]Success!'],
        ['show', true, {}, 'made made base base here red of one! one'],
      ],
    );
    assert.equal(readFileSync(out, 'utf8'), `me ${out} red of one!`);
    assert.match(
      await fails('state.apply', 'wrong'),
      /Rendering SLS 'base:wrong' failed: Traceback[^]*wrong\.sls", line 4, in run[^]*KeyError: 'nothing'/,
    );
  });
});

/** A package in the place of an installed Salt, and one that extends it, as pip leaves them. */
const INSTALLED: Record<string, string> = {
  'salt/__init__.py': '',
  'salt/version.py': '__version__ = "3006.16"\n',
  'salt/config.py': 'DEFAULT_MINION_OPTS = {"only_salts": "default", "id": "no"}\n',
  'salt/modules/weathermod.py':
    '__virtualname__ = "weather"\n__opts__ = {"own": "default"}\n\n\ndef __virtual__():\n    return __virtualname__ if "cmd.run" in __salt__ and "no.such" not in __salt__ else False\n\n\ndef options():\n    return [__opts__["only_salts"], __opts__["own"], __opts__["id"], __salt__["cmd.run"]("echo hi", log_callback=str)]\n',
  'salt/modules/notyet.py': 'def __virtual__():\n    return False, "not on this machine"\n',
  'salt/states/weather.py':
    'def __virtual__():\n    return "weather.options" in __salt__\n\n\ndef fine(name):\n    return {"name": name, "changes": {}, "result": True, "comment": __salt__["weather.options"]()[0]}\n',
  'saltext/place/__init__.py': '',
  'saltext/place/modules/place.py': 'def where():\n    return "in an extension"\n',
  'saltext/dirs.py':
    'import os\n\n\ndef folders():\n    return {"modules": [os.path.join(os.path.dirname(__file__), "further")]}\n',
  'saltext/further/further.py': 'def where():\n    return "in a folder that a function names"\n',
  'saltext.place-1.0.dist-info/METADATA': 'Metadata-Version: 2.1\nName: saltext.place\nVersion: 1.0\n',
  'saltext.place-1.0.dist-info/entry_points.txt':
    '[salt.loader]\nsaltext.place = saltext.place\nfurther = saltext.dirs:folders\nbroken = saltext.nowhere\n',
};

test('python modules - those of an installed Salt and its extensions', { skip }, async (t) => {
  const fleet = await Fleet.create(t);
  const site = fleet.path('site');
  for (const [name, text] of Object.entries(INSTALLED))
    fleet.write(join(site, dirname(name)), basename(name), text.split('\n'));
  fleet.write(fleet.path('local'), 'minion', [
    'id: here',
    'file_client: local',
    `root_dir: ${fleet.path('r')}`,
  ]);
  fleet.write(fleet.path('salted'), 'minion', [
    ...['id: here', 'file_client: local', `root_dir: ${fleet.path('r')}`],
    'salt_python: True',
  ]);
  const call = async (etc: string, path: string, ...words: string[]) => {
    const argv = ['-c', fleet.path(etc), '--local', '--out=json', ...words];
    const env = { ...process.env, PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: '1' };
    const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((resolve) =>
      execFile(join(ours.folder, 'salt-call'), argv, { env }, (_, stdout, stderr) =>
        resolve({ stdout, stderr }),
      ),
    );
    return { out: stdout === '' ? undefined : (JSON.parse(stdout) as { local?: unknown }).local, stderr };
  };
  const [options, place, further, notYet, state, without, plain] = await Promise.all([
    call('salted', site, 'weather.options'),
    call('salted', site, 'place.where'),
    call('salted', site, 'further.where'),
    call('salted', site, 'notyet.x'),
    call('salted', site, 'state.single', 'weather.fine', 'x'),
    call('salted', '', 'weather.options'),
    call('local', site, 'zenoss.device_list'),
  ]);
  assert.deepEqual(options.out, ['default', 'default', 'here', 'hi']);
  assert.equal(place.out, 'in an extension');
  assert.equal(further.out, 'in a folder that a function names');
  assert.match(further.stderr, /An extension of Salt cannot be used: broken = saltext\.nowhere/);
  assert.match(notYet.stderr, /not on this machine/);
  const [result] = Object.values(state.out as Record<string, { comment: string }>);
  assert.equal(result?.comment, 'default');
  assert.match(without.stderr, /salt_python is set, and python3 cannot import Salt/);
  assert.match(plain.stderr, /where a Salt is installed it is there with salt_python: True/);
});

/** A package with modules of every kind, found by an entry point; each says that it is there in its way. */
const EXTENSION: Record<string, string> = {
  'acme/__init__.py': '',
  'acme/modules/acme.py': 'def hi():\n    return [__grains__["acme"], __pillar__["acme"]]\n',
  'acme/states/acme.py':
    'def done(name):\n    return {"name": name, "changes": {}, "result": True, "comment": "acme"}\n',
  'acme/grains/acme.py': 'def acme():\n    return {"acme": "grain"}\n',
  'acme/renderers/acme.py':
    'def render(data, saltenv="base", sls="", **kwargs):\n    return data.read() + "!"\n',
  'acme/sdb/acme.py': 'def get(key, profile=None):\n    return "sdb " + key\n',
  'acme/returners/acme.py':
    'def returner(ret):\n    with open(__opts__["acme_out"], "a") as out:\n        out.write("%s %s\\n" % (ret["fun"], ret["return"]))\n',
  'acme/beacons/acme.py':
    'def validate(config):\n    return True, "fine"\n\n\ndef beacon(config):\n    return [{"said": "acme"}]\n',
  'acme/pillar/acme.py':
    'def ext_pillar(minion_id, pillar, *args):\n    return {"acme": [minion_id, list(args)]}\n',
  'acme/tops/acme.py': 'def top(**kwargs):\n    return {"base": ["of_acme"]}\n',
  'acme/auth/acme.py': 'def auth(username, password):\n    return password == "right"\n',
  'acme/runners/acme.py': 'def go():\n    return "ran"\n',
  'acme/wheel/acme.py': 'def turn():\n    return "turned"\n',
  'acme/output/acme.py': 'def output(data, **kwargs):\n    return "ACME {}".format(data)\n',
  'acme/engines/acme.py':
    'import threading\n\n\ndef start(path):\n    with open(path, "w") as out:\n        out.write("acme")\n    threading.Event().wait()\n',
  'acme-1.0.dist-info/METADATA': 'Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n',
  'acme-1.0.dist-info/entry_points.txt': '[salt.loader]\nacme = acme\n',
  'salt/__init__.py': '',
  'salt/version.py': '__version__ = "3006.16"\n',
};

test('python modules - a package that extends Salt, with modules of every kind', { skip }, async (t) => {
  const fleet = await Fleet.create(t);
  for (const [name, text] of Object.entries(EXTENSION))
    fleet.write(fleet.path('site', dirname(name)), basename(name), text.split('\n'));
  const python = fleet.path('python');
  writeFileSync(
    python,
    `#!/bin/sh\nPYTHONPATH=${fleet.path('site')} PYTHONDONTWRITEBYTECODE=1 exec python3 "$@"\n`,
    {
      mode: 0o755,
    },
  );
  const salted = ['salt_python: True', `python_executable: ${python}`];
  const began = fleet.path('began');
  fleet.configureMaster([
    ...['auto_accept: True', ...salted, 'ext_pillar: [{acme: [1]}]', 'master_tops: {acme: x}'],
    ...['external_auth: {acme: {ann: [test.echo]}}', `engines: [{acme: {path: ${began}}}]`],
  ]);
  const master = fleet.start('salt-master', ['-c', fleet.masterDir, '-l', 'info']);
  await master.logged('Worker 0 is ready');
  const tags: string[] = [];
  const bus = await EventBusReader.connect(
    fleet.path('m', 'run', 'master_event_pub.ipc'),
    () => true,
    ({ tag }) => void tags.push(tag),
  );
  const out = fleet.path('returned');
  await fleet.joinMinion('one', [
    ...[...salted, 'here: {driver: acme}', `acme_out: ${out}`],
    'beacons: {acme: [{interval: 0.2}]}',
  ]);
  const ask = async (...words: string[]) => (await fleet.json(['one', ...words]))['one'];
  assert.deepEqual(await ask('acme.hi'), ['grain', ['one', [1]]]);
  const [done] = Object.values((await ask('state.single', 'acme.done', 'x')) as Record<string, object>);
  assert.equal((done as { comment: string }).comment, 'acme');
  assert.equal(await ask('slsutil.renderer', 'string=a', 'default_renderer=acme'), 'a!');
  assert.equal(await ask('sdb.get', 'sdb://here/k'), 'sdb k');
  assert.deepEqual(await ask('state.show_top'), { base: ['of_acme'] });
  await ask('test.echo', 'given', '--return', 'acme');
  await until('the returner', () => existsSync(out));
  assert.equal(readFileSync(out, 'utf8'), 'test.echo given\n');
  const login = ['-a', 'acme', '--username', 'ann', '--password', 'right'];
  assert.equal(
    (await fleet.salt([...login, '--out', 'acme', 'one', 'test.echo', 'x'])).stdout,
    "ACME {'one': 'x'}\n",
  );
  const refused = await fleet.salt([...login.slice(0, -1), 'wrong', 'one', 'test.ping']);
  assert.match(refused.stdout + refused.stderr, /Authentication/);
  assert.equal((await fleet.run('salt-run', ['--out', 'json', 'acme.go'])).stdout, '"ran"\n');
  const { stdout } = await fleet.run('salt-run', [
    '--out',
    'json',
    'salt.cmd',
    'saltutil.wheel',
    'acme.turn',
  ]);
  assert.equal((JSON.parse(stdout) as { return: unknown }).return, 'turned');
  await until('the engine and the beacon', () => existsSync(began) && tags.includes('salt/beacon/one/acme/'));
  bus.close();
});
