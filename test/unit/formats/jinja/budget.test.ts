/**
 * What a minion's grains can make of a template: each is refused, with the limit that was reached, before it holds up a
 * worker.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import {
  DEFAULT_OPTIONS,
  RenderBudget,
  renderJinja,
  TemplateCache,
  type TValue,
} from '../../../../src/formats/jinja/index.ts';
import { PURE_FILTERS } from '../../../../src/formats/jinja/render.ts';
import { TEXT_METHODS } from '../../../../src/formats/jinja/methods-text.ts';

const cache = new TemplateCache();
const LIMITS = { timeMs: 300, characters: 4 * 1024 * 1024 };
const LATE = /the template took more than 0\.3 seconds of work \(option jinja_seconds_max\)/;
const LONG =
  /the template makes a text of more than 4194304 characters \(option jinja_output_characters_max\)/;
const LARGE = /the result is too large/;

async function render(source: string, context: Readonly<Record<string, TValue>> = {}): Promise<string> {
  return renderJinja({
    source,
    context: new Map(Object.entries(context)),
    options: DEFAULT_OPTIONS,
    load: () => undefined,
    compile: cache.compile,
    budget: new RenderBudget(LIMITS, () => systemClock.monotonicMs()),
  });
}

/** How long something took, its failure included. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = systemClock.monotonicMs();
  await work().catch(() => undefined);
  return systemClock.monotonicMs() - startMs;
}

test('jinja - a number of 300,000 digits is no number, and costs nothing', async () => {
  const digits = '9'.repeat(300_000);
  const tookMs = await timed(async () => {
    assert.equal(await render('{{ g|int }} {{ g|int(7) }} {{ g|to_num }}', { g: digits }), '0 7 inf');
    const words = /Exceeds the limit \(4300 digits\) for integer string conversion/;
    await assert.rejects(render('{{ 10 ** 4300 }}'), words);
    await assert.rejects(render("{{ '%d' % (10 ** 4300) }}"), words);
    await assert.rejects(render("{{ '{:d}'.format(10 ** 4300) }}"), words);
    await assert.rejects(render('{{ (10 ** 4300)|json }}'), words);
    await assert.rejects(render("{{ ('a: ' ~ g)|load_yaml }}", { g: digits }), words);
    await assert.rejects(render('{{ g|load_json }}', { g: digits }), /Unable to load json/);
    assert.equal(await render('{{ (10 ** 4299)|string|length }}'), '4300');
    assert.equal(
      await render("{{ '%x'|format(g|int(0, 16))|length }}", { g: 'f'.repeat(100_000) }),
      '100000',
    );
  });
  assert.ok(tookMs < 2000, `${tookMs} ms`);
});

test('jinja - sizes out of grains are bounded', async () => {
  const n = 10 ** 12;
  for (const source of [
    '{{ "x"|center(n) }}',
    '{{ "x".center(n) }}',
    '{{ "x".ljust(n) }}',
    '{{ "x".rjust(n) }}',
    '{{ "\t".expandtabs(n) }}',
    '{{ "x"|indent(n, true) }}',
    '{{ "x" * n }}',
    '{{ [1] * n }}',
    '{{ [1]|batch(n, "x")|list|length }}',
    '{{ [1]|slice(n)|list|length }}',
    '{{ [1, 2]|product(repeat=n)|list }}',
    '{{ range(0, 30)|combinations(15)|list|length }}',
    '{{ range(0, 12)|permutations|list|length }}',
  ]) {
    const failure = await render(source, { n }).then(
      () => undefined,
      (error: Error) => error,
    );
    assert.ok(
      failure !== undefined && (LARGE.test(failure.message) || LATE.test(failure.message)),
      `${source}: ${failure?.message}`,
    );
  }
  await assert.rejects(render('{{ "%*d" % (n, 1) }}', { n }), /Too many decimal digits/);
  await assert.rejects(render('{{ ("%" ~ n ~ "d") % 1 }}', { n }), /Too many decimal digits/);
  await assert.rejects(render('{{ ("{:" ~ n ~ "d}").format(1) }}', { n }), /Too many decimal digits/);
  await assert.rejects(render('{{ range(n) }}', { n }), /Range too big/);
  assert.equal(await render('{{ 1.5|round(n) }}', { n }), '1.5');
});

test('jinja - loops over what minions tell end in time, and so does what they write', async () => {
  const items = Array.from({ length: 100_000 }, (_, i) => i);
  const loops = '{% for a in items %}{% for b in items %}{% endfor %}{% endfor %}';
  await assert.rejects(render(loops, { items }), LATE);
  await assert.rejects(
    render('{% for a in items if a in items and items|length < 0 %}{% endfor %}', { items }),
    LATE,
  );
  await assert.rejects(
    render(
      '{% macro m(a) %}{% for b in items %}{{ a }}{% endfor %}{% endmacro %}{% for a in items %}{% do m(a) %}{% endfor %}',
      { items },
    ),
    LATE,
  );
  await assert.rejects(
    render('{% for a in items %}{% for b in items %}' + 'x'.repeat(1000) + '{% endfor %}{% endfor %}', {
      items,
    }),
    LONG,
  );
  const text = 'y'.repeat(1_000_000);
  await assert.rejects(render('{{ text.replace("y", "y" * 10) }}', { text }), LONG);
  await assert.rejects(render('{{ items|join(text) }}', { text, items: items.slice(0, 10) }), LONG);
  await assert.rejects(render('{{ text ~ text ~ text ~ text ~ text }}', { text }), LONG);
  await assert.rejects(
    render(
      '{% set ns = namespace(x="") %}{% for i in range(20) %}{% set ns.x = ns.x + text %}{{ ns.x }}{% endfor %}',
      { text },
    ),
    LONG,
  );
});

test('jinja - a single call on many short values is ended, however they are put together', async () => {
  const parts = '{% set a = range(200)|list %}{% set b = [a] * 200 %}{% set c = [b] * 200 %}';
  for (const call of [
    '{{ c|json }}',
    '{{ c|string|length }}',
    '{{ "{}".format(c) }}',
    // grown after it was weighed
    '{% set d = [1] %}{% set e = [d] * 150 %}{{ e|first }}{% do d.append(c) %}{{ e|json }}',
  ]) {
    const started = systemClock.monotonicMs();
    const outcome = await render(`${parts}${call}`).catch((error: Error) => error.message);
    assert.ok(LATE.test(outcome) || LONG.test(outcome), `${call}: ${outcome.slice(0, 200)}`);
    const tookMs = systemClock.monotonicMs() - started;
    assert.ok(tookMs < LIMITS.timeMs + 1000, `${call}: ${Math.round(tookMs)} ms`);
  }
  assert.equal(await render('{% set a = [1] %}{% do a.append(a) %}{{ a|length }}'), '2');
});

test('jinja - a budget does not look through all of a mapping for each of its values', async () => {
  const pillar = new Map(
    Array.from({ length: 300 }, (_, n): [string, TValue] => [`k${n}`, new Map([['b', [`${n}`]]])]),
  );
  let looks = 0;
  const counted = new Proxy(pillar, {
    get(target, name) {
      if (name === 'values') looks++;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
  const source = '{% for i in range(1000) %}{{ p.get("k1")|length }}{{ p|length }}{% endfor %}';
  assert.equal(await render(source, { p: counted }), '1300'.repeat(1000));
  assert.ok(looks <= 100, `${looks} times`);
});

test('jinja - no filter and no method on a long text holds up much longer than its time', async () => {
  const calls = [
    ...[...PURE_FILTERS.keys()].flatMap((name) => [`{{ t|${name} }}`, `{{ [t]|${name} }}`]),
    ...[...TEXT_METHODS.keys(), 'format'].map((name) => `{{ t.${name}(t) }}`),
  ];
  const slow: string[] = [];
  for (const [t, some] of [
    // careless code takes quadratic time for what is opened and not closed
    ['<!--'.repeat(50_000), calls],
    ['<'.repeat(200_000), calls.filter((call) => /strip|title|wrap|format/.test(call))],
    [`${' '.repeat(200_000)}x`, calls.filter((call) => /strip|trim|split|wrap|indent/.test(call))],
  ] as const)
    for (const source of calls.filter((call) => some.includes(call))) {
      const tookMs = await timed(() => render(source, { t }));
      // the rest is the machine's load, and what the engine does not end in its midst
      if (tookMs > LIMITS.timeMs + 1000) slow.push(`${source}: ${Math.round(tookMs)} ms`);
    }
  assert.deepEqual(slow, []);
});
