/** `pillar.*`: what minions' pillar looks like on the master (salt/runners/pillar.py, 3006.16). Not available yet. */
import { defineRunner, defineRunners, RunnerRefusal, type RunnerSpec } from './runner.ts';
import type { Params } from '../loader/module.ts';

const minionParam = { minion: { default: '*', type: 'str', doc: 'The minion.' } } as const;

function later(name: string, doc: string, params: Params, kwargs?: string): RunnerSpec {
  return defineRunner({
    doc: `${doc} Not available yet: the master does not make pillar so far.`,
    params,
    ...(kwargs === undefined ? {} : { kwargs }),
    returns: 'nothing so far',
    examples: [`salt-run pillar.${name}`],
    run: () => {
      throw new RunnerRefusal(
        `pillar.${name} is not available yet: the master does not make pillar so far. salt-run cache.pillar shows what minions last got.`,
      );
    },
  });
}

/** The pillar runner. */
export const pillarRunners = defineRunners({
  name: 'pillar',
  doc: 'Pillar on the master.',
  functions: {
    show_top: later('show_top', 'Gives the pillar top data of a minion.', {
      minion: { default: null, type: 'str', doc: 'The minion.' },
      saltenv: { default: 'base', type: 'str', doc: 'The environment.' },
    }),
    show_pillar: later(
      'show_pillar',
      'Gives the pillar of a minion, made on the master.',
      minionParam,
      'kwargs',
    ),
    show_pillar_cache: later(
      'show_pillar_cache',
      'Gives the cached pillar of minions.',
      minionParam,
      'kwargs',
    ),
    clear_pillar_cache: later(
      'clear_pillar_cache',
      'Forgets the cached pillar of minions.',
      minionParam,
      'kwargs',
    ),
  },
});
