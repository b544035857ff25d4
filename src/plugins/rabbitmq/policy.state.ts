/** `rabbitmq_policy`: policies of RabbitMQ (3006.16 salt/states/rabbitmq_policy.py). */
import { parseJson } from '../../formats/json/text.ts';
import { pyCount } from '../../python/conversions.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { outcomeChangesLast as outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { fieldOf, nameOf, orFailure, rabbit, RUNAS, switched, withoutRabbitmq } from './state/parts.ts';

const VHOST = {
  vhost: param.value({ default: '/', type: 'str', takes: 'text', doc: 'The virtual host.' }),
} as const;

/** What a policy is to be. */
interface WantedPolicy {
  readonly name: string;
  readonly pattern: Value;
  readonly definition: Value;
  readonly priority: number;
  readonly vhost: Value;
  readonly runas: Value;
  readonly apply_to: Value;
}

/** A definition as data: a mapping, or its text in JSON. */
function definitionOf(value: Value): Value {
  if (!truthy(value)) return '';
  return isDict(value) ? value : parseJson(pyStr(value));
}

/** Why a definition can never be one. Salt compat: a text that is no JSON is a traceback, after it has been set. */
function definitionRefusal(value: Value): string | undefined {
  const wrong = `definition must be a mapping, or a text in JSON with one, not ${pyRepr(value)}`;
  if (isDict(value)) return undefined;
  if (typeof value !== 'string' || value === '') return wrong;
  try {
    return isDict(parseJson(value)) ? undefined : wrong;
  } catch {
    return wrong;
  }
}

/** In what a policy differs from what it is to be. */
function differences(policy: Dict, wanted: WantedPolicy): string[] {
  const has = (name: string): Value => policy.get(name) ?? null;
  const differs: [string, boolean][] = [
    ['Pattern', !valuesEqual(has('pattern'), wanted.pattern)],
    ['Definition', !valuesEqual(definitionOf(has('definition')), definitionOf(wanted.definition))],
    // Salt compat: Salt looks for the word under a name that its function does not give, and sets the policy again each
    // time.
    ['Applyto', truthy(wanted.apply_to) && !valuesEqual(has('apply_to'), wanted.apply_to)],
    ['Priority', pyCount(has('priority')) !== wanted.priority],
  ];
  return differs.flatMap(([name, isOther]) => (isOther ? [name] : []));
}

async function present(ctx: StateContext, wanted: WantedPolicy): Promise<StateResult> {
  const { name, pattern, definition, priority, vhost, runas, apply_to } = wanted;
  const all = await rabbit(ctx, 'list_policies', [], dict({ vhost, runas }));
  const ofHost = isDict(all) ? all.get(vhost) : undefined;
  const policy = isDict(ofHost) ? ofHost.get(name) : undefined;
  const updates = isDict(policy) ? differences(policy, wanted) : [];
  const said = `Policy ${pyStr(vhost)} ${name}`;
  if (isDict(policy) && updates.length === 0) return outcome(name, true, `${said} is already present`);
  const changes = isDict(policy) ? dict({ old: policy, new: updates }) : dict({ old: dict(), new: name });
  if (ctx.state.test)
    return outcome(name, null, `${said} is set to be ${isDict(policy) ? 'updated' : 'created'}`, changes);
  const keywords = dict({ priority, runas, apply_to });
  const answer = await rabbit(ctx, 'set_policy', [vhost, name, pattern, definition], keywords);
  return outcome(name, true, fieldOf(answer, 'Set'), changes);
}

/** The states of `rabbitmq_policy`. */
export const rabbitmqPolicyStates = defineModule({
  name: 'rabbitmq_policy',
  file: 'rabbitmq_policy',
  doc: 'Policies of RabbitMQ.',
  unavailable: withoutRabbitmq,
  words: {},
  functions: {
    present: defineState({
      doc: 'Makes sure that there is a policy.',
      params: {
        ...nameOf('policy'),
        pattern: param.value({ type: 'str', takes: 'text', doc: 'The pattern of names that it is for.' }),
        definition: param.value({ type: 'dict or str', doc: 'What it says, in JSON.' }),
        priority: param.by((given) => (given === null ? 0 : pyCount(given)), {
          default: 0,
          type: 'int',
          takes: 'number',
          doc: 'Which of several counts.',
        }),
        ...VHOST,
        ...RUNAS,
        apply_to: param.value({
          default: null,
          type: 'str',
          takes: 'text',
          doc: 'queues, exchanges or all.',
        }),
      },
      refuses: ({ definition }) => definitionRefusal(definition),
      run: (ctx, wanted) => orFailure(wanted.name, () => present(ctx, wanted)),
    }),
    absent: defineState({
      doc: 'Makes sure that there is no such policy.',
      params: { ...nameOf('policy'), ...VHOST, ...RUNAS },
      run: (ctx, { name, vhost, runas }) =>
        orFailure(name, async () =>
          switched(ctx, {
            name,
            isRight: !truthy(await rabbit(ctx, 'policy_exists', [vhost, name], dict({ runas }))),
            changes: dict({ new: '', old: name }),
            right: `Policy '${pyStr(vhost)} ${name}' is not present.`,
            foretold: `Policy '${pyStr(vhost)} ${name}' will be removed.`,
            done: () => 'Deleted',
            run: () => rabbit(ctx, 'delete_policy', [vhost, name], dict({ runas })),
          }),
        ),
    }),
  },
});
