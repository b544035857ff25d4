/**
 * Orchestrations of SLS (salt/runners/state.py `orchestrate`, `orchestrate_show_sls`, 3006.16), and going on with an
 * interrupted one.
 */
import { folderOption } from '../../../config/paths.ts';
import { messageOf } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { param } from '../../../runtime/loader/params.ts';
import { isGoodRun } from '../../../runtime/state/check-result.ts';
import { isSafeJid } from '../../../storage/jobs/jid.ts';
import { OrchestrationJournal } from '../../../storage/orchestrations/journal.ts';
import {
  defineRunner,
  RunnerRefusal,
  type RunnerContext,
  type RunnerSpec,
} from '../../shared/runner/runner.ts';
import { checkPillar, LOCAL_FILES } from './given-data.ts';

const mods = { type: 'str or list of str', doc: 'Names of SLS, separated by commas.' } as const;
const saltenv = { default: 'base', type: 'str', doc: 'The environment of the SLS.' } as const;
const pillarParams = {
  pillar: { default: null, type: 'dict', doc: 'Merged over the pillar of the master.' },
  pillarenv: { default: null, type: 'str', doc: 'The environment of the pillar.' },
  pillar_enc: { default: null, type: 'str', doc: 'The renderer that decrypts the given pillar: gpg.' },
} as const;

/** What an orchestration was asked for, as its journal keeps it. */
const ASKED = ['mods', 'saltenv', 'exclude', 'pillar', 'pillarenv', 'pillar_enc'] as const;

/** An orchestration that can begin. */
interface Opened {
  /** Undefined for one that is not kept. */
  readonly journal: OrchestrationJournal | undefined;
  readonly asked: Dict;
}

/** The journal of a new orchestration; without a disk that takes it, it runs and cannot be resumed. */
function begin(ctx: RunnerContext, asked: Dict): Opened {
  try {
    return { journal: OrchestrationJournal.begin(ctx.opts.get('cachedir'), ctx.jid, asked), asked };
  } catch (error) {
    ctx.log.warning(
      `The steps of this orchestration cannot be kept, so that it cannot be resumed: ${messageOf(error)}`,
      error,
    );
    return { journal: undefined, asked };
  }
}

/**
 * The journal of an interrupted one, with what it was asked for where nothing else is said now.
 * @throws RunnerRefusal
 */
function goOn(ctx: RunnerContext, jid: string, asked: Dict): Opened {
  const cachedir = ctx.opts.get('cachedir');
  const resumed = isSafeJid(jid)
    ? OrchestrationJournal.resume(cachedir, jid, ctx.jid)
    : ({ refusal: 'unknown' } as const);
  if ('journal' in resumed) {
    const before = namesOf(resumed.asked.get('mods') ?? null);
    const now = namesOf(asked.get('mods') ?? null);
    if (before === now) return { journal: resumed.journal, asked: new Map([...resumed.asked, ...asked]) };
    resumed.journal.close(false);
    throw new RunnerRefusal(
      `${jid} was an orchestration of ${before}, not of ${now}. Resume it under its name.`,
    );
  }
  if (resumed.refusal === 'running')
    throw new RunnerRefusal(
      `The orchestration ${jid} is still under way, in process ${resumed.pid}. Wait for its end, or halt it: salt-run state.soft_kill ${jid}`,
    );
  throw new RunnerRefusal(
    `There is nothing to resume: no orchestration with the id ${jid} is kept on this master. It has succeeded, was never begun, or is ` +
      'too long ago.',
  );
}

function namesOf(given: Value): string {
  return Array.isArray(given) ? given.map(pyStr).join(',') : pyStr(given);
}

/** Those arguments that were given. */
function given(args: Readonly<Record<string, unknown>>, names: readonly string[]): Dict {
  return new Map(
    names.flatMap((name): [Value, Value][] => {
      const value = (args[name] ?? null) as Value;
      return value === null || (name === 'saltenv' && value === 'base') ? [] : [[name, value]];
    }),
  );
}

const orchestrate = defineRunner({
  doc:
    'Runs SLS on the master itself, whose states have minions and the master do things: an orchestration. `resume` goes on with one that ' +
    'was interrupted or has failed, after the last step that succeeded (not in Salt).',
  params: {
    mods,
    saltenv,
    test: { default: null, type: 'bool', doc: 'Change nothing, and say what would be done.' },
    exclude: { default: null, type: 'str or list', doc: 'SLS to leave out.' },
    ...pillarParams,
    orchestration_jid: param.textIfGiven({ default: null, doc: 'The job it belongs to.' }),
    resume: param.textIfGiven({
      default: null,
      keywordOnly: true,
      doc: 'The job of an orchestration to go on with.',
    }),
  },
  returns: '`{data, outputter, retcode}`; data has the results by the id of the master',
  examples: [
    'salt-run state.orchestrate webserver',
    `salt-run state.orchestrate webserver saltenv=dev pillar='{"version": "1.2"}'`,
    'salt-run state.orchestrate webserver test=True',
    'salt-run state.orchestrate webserver resume=20171130110407769519',
  ],
  run: async (ctx, args) => {
    checkPillar(args.pillar);
    const { test, resume } = args;
    const asked = given(args, ASKED);
    // Salt compat: without one, as from a reaction, Salt makes up a second job id beside that of the run
    const jid = args.orchestration_jid ?? ctx.jid;
    const isTest = test === null ? truthy(ctx.settings.get('test')) : truthy(test);
    const opened = resume !== undefined ? goOn(ctx, resume, asked) : isTest ? undefined : begin(ctx, asked);
    const { journal } = opened ?? {};
    const kwargs: Dict = new Map(opened?.asked ?? asked);
    const names = kwargs.get('mods') ?? args.mods;
    kwargs.delete('mods');
    if (!kwargs.has('saltenv')) kwargs.set('saltenv', args.saltenv ?? ctx.settings.get('saltenv') ?? null);
    if (!kwargs.has('pillarenv') && ctx.settings.has('pillarenv'))
      kwargs.set('pillarenv', ctx.settings.get('pillarenv') ?? null);
    if (test !== null) kwargs.set('test', test);
    kwargs.set('__pub_jid', jid).set('orchestration_jid', jid);
    let isGood = false;
    try {
      const results = await ctx.execute('state.sls', [names], kwargs, {
        opts: LOCAL_FILES,
        ...(journal === undefined ? {} : { journal }),
      });
      const data: Dict = new Map([[ctx.id, results]]);
      isGood = isGoodRun(data);
      return dict({ data, outputter: 'highstate', retcode: isGood ? 0 : 1 });
    } finally {
      journal?.close(isGood);
      if (journal?.fault !== undefined)
        ctx.log.warning(`Not all steps of this orchestration could be kept: ${messageOf(journal.fault)}`);
      if (!isGood && journal?.isWorthKeeping === true)
        ctx.log.warning(
          `The steps that succeeded are kept. To go on after them: salt-run ${folderOption(ctx.opts.get('conf_file'))}state.orchestrate ${namesOf(names)} resume=${journal.jid}`,
        );
    }
  },
});

const showSls = defineRunner({
  doc: 'Gives the high data of the SLS of an orchestration, and runs nothing.',
  params: {
    mods,
    saltenv,
    test: { default: null, type: 'bool', doc: 'As the SLS see it.' },
    queue: { default: false, type: 'bool', doc: 'Has no effect.' },
    ...pillarParams,
  },
  returns: 'the high data by the id of the master',
  examples: ['salt-run state.orch_show_sls webserver'],
  run: async (ctx, args) => {
    checkPillar(args.pillar);
    const kwargs = given(args, ['saltenv', 'test', 'pillar', 'pillarenv', 'pillar_enc']);
    if (!kwargs.has('saltenv')) kwargs.set('saltenv', args.saltenv);
    return new Map([
      [ctx.id, await ctx.execute('state.show_sls', [args.mods], kwargs, { opts: LOCAL_FILES })],
    ]);
  },
});

/** The functions that run and show SLS of orchestrations. */
export const orchestrateRunners: Readonly<Record<string, RunnerSpec>> = {
  orchestrate,
  orch: orchestrate,
  sls: orchestrate,
  orchestrate_show_sls: showSls,
  orch_show_sls: showSls,
};
