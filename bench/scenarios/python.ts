/** `python`: a site's own Python beside the same in TypeScript, by `salt-call --local`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sampled, type Figure, type Unit } from '../figure.ts';
import { repeat, type Scenario, type ScenarioContext } from './scenario.ts';

const STATES = 500;
const CALLS = 1000;
const PYTHON = `
def nothing():
    return True


def pss():
    with open("/proc/self/smaps_rollup") as handle:
        return next(int(line.split()[1]) for line in handle if line.startswith("Pss:"))
`;
const PYTHON_STATE = `
def fine(name):
    return {"name": name, "changes": {}, "result": True, "comment": ""}
`;
const TYPESCRIPT = `
import { defineFunction, defineModule } from 'brine';

export default defineModule({
  doc: 'Measures.',
  functions: {
    nothing: defineFunction({ doc: 'Nothing.', returns: 'True', run: () => true }),
    warm: defineFunction({
      doc: 'Milliseconds of a call.',
      returns: 'a number',
      run: async (_, ctx) => {
        await ctx.call('benchpy.nothing');
        const startedMs = performance.now();
        for (let call = 0; call < ${CALLS}; call++) await ctx.call('benchpy.nothing');
        return (performance.now() - startedMs) / ${CALLS};
      },
    }),
  },
});
`;

/**
 * Long only in that nobody but who asks for it has it; a real Salt runs the same Python, and has no warm host to
 * measure.
 */
export const pythonModules: Scenario = {
  name: 'python',
  isLong: true,
  run: async (context) => {
    const call = prepare(context);
    const isOurs = context.fleet.kind.name === 'brine';
    const first: number[] = [];
    const warm: number[] = [];
    const states: number[] = [];
    const memory: number[] = [];
    await repeat(context, { brine: 9, salt: 3, budgetMs: 60_000 }, '', async (isWarmUp) => {
      const run = await call('state.apply', 'many');
      const rate = (STATES * 1000) / stateMs(run.stdout);
      if (!isOurs) return void states.push(rate);
      const typescript = await call('benchts.nothing');
      const python = await call('benchpy.nothing');
      const [perCallMs, pssKb] = [await call('benchts.warm'), await call('benchpy.pss')].map(
        ({ stdout }) => (JSON.parse(stdout) as { local: number }).local,
      ) as [number, number];
      if (isWarmUp) return;
      states.push(rate);
      first.push(python.elapsedMs - typescript.elapsedMs);
      warm.push(perCallMs);
      memory.push(pssKb / 1024);
    });
    const figures = [row('states', '/s', states)];
    if (!isOurs) return figures;
    return [
      row('first call beyond TypeScript', 'ms', first),
      row('warm call', 'ms', warm),
      ...figures,
      row('memory of the host', 'MB', memory),
    ];
  },
};

function row(name: string, unit: Unit, samples: readonly number[]): Figure {
  return sampled({ scenario: 'python', name, unit, better: unit === '/s' ? 'higher' : 'lower' }, samples);
}

/** The time that a run of states took, from the begin of its first to the end of its last. */
function stateMs(stdout: string): number {
  const { local } = JSON.parse(stdout) as { local: Record<string, { start_time: string; duration: number }> };
  const results = Object.values(local);
  if (results.length !== STATES) throw new Error(`${results.length} states ran`);
  const begins = results.map(({ start_time: time }) => Date.parse(`1970-01-01T${time}Z`));
  const ends = results.map(({ duration }, index) => (begins[index] as number) + duration);
  return Math.max(...ends) - Math.min(...begins);
}

/** Writes configuration, modules and states. @returns what calls a function and gives its JSON */
function prepare({
  fleet,
}: ScenarioContext): (...words: string[]) => ReturnType<ScenarioContext['fleet']['groups']['run']> {
  const folder = join(fleet.folder, 'python');
  const files: Record<string, string> = {
    minion: `id: bench\nfile_client: local\nroot_dir: ${folder}\nfile_roots: {base: [${folder}/srv]}\nmodule_dirs: [${folder}/ext]\n`,
    'ext/modules/benchpy.py': PYTHON,
    'ext/states/benchpy.py': PYTHON_STATE,
    'ext/modules/benchts.ts': TYPESCRIPT,
    'srv/many.sls': Array.from({ length: STATES }, (_, at) => `s${at}:\n  benchpy.fine: []\n`).join(''),
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const program = join(dirname(fleet.kind.minion[0] as string), 'salt-call');
  return async (...words) => {
    const argv = [program, '-c', folder, '--local', '--out=json', ...words];
    const done = await fleet.groups.run(argv, 120_000);
    if (done.code !== 0) throw new Error(`${words.join(' ')} ended with ${done.code}: ${done.stderr}`);
    return done;
  };
}
