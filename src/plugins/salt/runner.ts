/** `salt.*`: execution functions, on this machine or on minions (salt/runners/salt.py, 3006.16). */
import { ClientError } from '../../runtime/client/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, truthy, type Dict } from '../../python/values/value.ts';
import { answersShortfall, callMinions, returnValues } from '../shared/runner/minion-calls.ts';
import { defineRunner, defineRunners, type RunnerContext } from '../shared/runner/runner.ts';
import { param } from '../../runtime/loader/params.ts';

/** The pillar that the top file gives the master itself, by its id and its own grains. */
async function masterPillar(ctx: RunnerContext): Promise<Dict | undefined> {
  const grains = await ctx.execute('grains.items', [], new Map());
  const pillar = await ctx.call('pillar.show_pillar', [ctx.id], isDict(grains) ? grains : new Map());
  return isDict(pillar) ? pillar : undefined;
}

/** The salt runner. */
export const saltRunners = defineRunners({
  name: 'salt',
  doc: 'Execution functions for runners.',
  failsWith: { empty: ['execute'] },
  functions: {
    cmd: defineRunner({
      doc: "Runs an execution function on this machine, with the options of the master; `with_pillar=True` makes the master's pillar for it.",
      params: { fun: param.text({ doc: 'Full name of the function.' }) },
      varargs: 'args',
      kwargs: 'kwargs',
      returns: 'what the function returns',
      examples: ['salt-run salt.cmd test.ping', 'salt-run salt.cmd test.arg 1 2 3 a=1'],
      run: async (ctx, { fun }, rest, kwargs) => {
        const clean = withoutDunder(kwargs);
        const pillar = truthy(clean.get('with_pillar')) ? await masterPillar(ctx) : undefined;
        clean.delete('with_pillar');
        return ctx.execute(fun, rest, clean, pillar === undefined ? {} : { pillar });
      },
    }),
    execute: defineRunner({
      doc: 'Runs an execution function on minions.',
      params: {
        tgt: { type: 'str', doc: 'The minions.' },
        fun: param.text({ doc: 'Full name of the function.' }),
        arg: param.by((value) => (Array.isArray(value) ? value : [value]), {
          default: [],
          type: 'list',
          doc: 'Its positional arguments.',
        }),
        timeout: param.countIfGiven({
          default: null,
          doc: 'Seconds that a minion may be silent before it is asked.',
        }),
        tgt_type: param.text({ default: 'glob', doc: 'What kind of target that is.' }),
        ret: param.text({ default: '', doc: 'Returners for the minions.' }),
        jid: param.text({ default: '', doc: 'Job id to use.' }),
        kwarg: param.mapping({ default: null, doc: 'Its keywords.' }),
      },
      kwargs: 'kwargs',
      returns: 'mapping of minion to return; empty when the job could not be published',
      examples: ["salt-run salt.execute '*' test.ping"],
      run: async (ctx, args) => {
        const { tgt, fun, arg, timeout, tgt_type, ret, jid, kwarg } = args;
        try {
          const answers = await callMinions(ctx, {
            tgt,
            tgtType: tgt_type,
            fun,
            arg,
            ret,
            jid,
            kwarg,
            ...(timeout === undefined ? {} : { timeoutS: timeout }),
          });
          const shortfall = answersShortfall(answers);
          if (shortfall !== undefined) ctx.fallShort(shortfall);
          return returnValues(answers);
        } catch (error) {
          if (!(error instanceof ClientError)) throw error;
          ctx.fallShort('some failed');
          ctx.log.error(`Error while executing ${fun} on ${pyStr(tgt)} (${tgt_type})`);
          ctx.log.error(error.message, error);
          return new Map();
        }
      },
    }),
  },
});

function withoutDunder(kwargs: Dict): Dict {
  return new Map([...kwargs].filter(([key]) => !pyStr(key).startsWith('__')));
}
