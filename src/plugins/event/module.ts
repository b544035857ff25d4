/** `event.*`: firing events on the minion's bus and on the master's (3006.16 salt/modules/event.py). */
import { optionOf } from '../../runtime/loader/option-of.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { param } from '../../runtime/loader/params.ts';

/** True when there is no master to talk to: `--local`, a masterless minion. */
function isMasterless(ctx: ModuleContext): boolean {
  const local = truthy(ctx.opts.get('local')) || ctx.opts.get('file_client') === 'local';
  return local && !truthy(ctx.opts.get('use_master_when_local'));
}

async function fireLocal(ctx: ModuleContext, data: Value, tag: string): Promise<boolean> {
  if (!isDict(data) || tag === '') return false;
  return ctx.services.fireLocal(tag, data);
}

async function fireMaster(ctx: ModuleContext, data: Value, tag: string, preload: Value): Promise<boolean> {
  if (isMasterless(ctx)) {
    ctx.log.warning(`Local mode detected. Event with tag ${tag} will NOT be sent.`);
    return false;
  }
  return ctx.services.fireMaster(tag, data, isDict(preload) ? preload : undefined);
}

/** All entries, or those of a list of keys, in the order of the source. */
function subset(source: Dict, choice: Value): Dict {
  if (!Array.isArray(choice)) return new Map(source);
  return new Map([...source].filter(([key]) => choice.includes(key)));
}

function environment(): Dict {
  return new Map(Object.entries(process.env).map(([name, value]) => [name, value ?? '']));
}

/** The data of `event.send`, in Salt's order: later entries win. */
function sendData(ctx: ModuleContext, args: Readonly<Record<string, Value>>, kwargs: Dict): Dict {
  const data: Dict = new Map();
  const add = (name: string, choice: Value | undefined, source: Dict): void => {
    if (truthy(choice)) data.set(name, subset(source, choice as Value));
  };
  add('environ', args['with_env'], environment());
  add('grains', args['with_grains'], ctx.grains);
  add('pillar', args['with_pillar'], ctx.pillar);
  if (args['with_env_opts'] === true) {
    data.set('saltenv', optionOf(ctx.opts, 'saltenv') ?? 'base');
    data.set('pillarenv', optionOf(ctx.opts, 'pillarenv'));
  }
  const given = args['data'];
  for (const more of [kwargs, isDict(given) ? given : new Map<Value, Value>()]) {
    for (const [key, value] of more) data.set(key, value);
  }
  return data;
}

const dataParam = param.value({
  doc: 'The data of the event: a mapping on the bus of this minion, any value on that of the master.',
});
const tagParam = param.text({ doc: 'The tag; use slashes to make families (`myco/build/start`).' });
const preloadParam = param.value({
  default: null,
  type: 'dict',
  doc: 'Fields to add to the message that carries the event.',
});

/** The module `event`. */
export const eventModule = defineModule({
  name: 'event',
  file: 'event',
  doc: 'Events: fired on the bus of this minion or sent to the master.',
  failsWith: { false: ['fire', 'fire_master', 'send'] },
  functions: {
    fire: defineFunction({
      doc: 'Fires an event on the bus of this minion.',
      params: { data: dataParam, tag: tagParam },
      returns: 'True; False when there is no bus or the data is no mapping',
      examples: [`salt '*' event.fire '{"data": "my event data"}' 'tag'`],
      run: (ctx, { data, tag }) => fireLocal(ctx, data, tag),
    }),
    fire_master: defineFunction({
      doc: 'Fires an event on the bus of the master.',
      params: { data: dataParam, tag: tagParam, preload: preloadParam },
      returns: 'True; False when there is no master or it did not take the event',
      examples: [`salt '*' event.fire_master '{"data": "my event data"}' 'tag'`],
      run: (ctx, { data, tag, preload }) => fireMaster(ctx, data, tag, preload),
    }),
    send: defineFunction({
      doc:
        'Sends an event to the master; without a master fires it on the bus of this minion. ' +
        'Keywords and the entries of `data` become the data of the event.',
      params: {
        tag: tagParam,
        data: param.value({
          default: null,
          type: 'dict',
          doc: 'Data of the event; wins over everything else.',
        }),
        preload: preloadParam,
        with_env: param.value({
          default: false,
          type: 'bool or list',
          doc: 'Add the environment, or these variables of it.',
        }),
        with_grains: param.value({ default: false, type: 'bool or list', doc: 'Add all grains, or these.' }),
        with_pillar: param.value({
          default: false,
          type: 'bool or list',
          doc: 'Add the whole pillar, or these keys. Mind secrets.',
        }),
        with_env_opts: param.flag({ default: false, doc: 'Add the options `saltenv` and `pillarenv`.' }),
      },
      kwargs: 'kwargs',
      returns: 'True; False when nothing took the event',
      examples: [
        'salt-call event.send myco/mytag foo=Foo bar=Bar',
        "salt-call event.send myco/mytag '{foo: Foo, bar: Bar}'",
      ],
      run: (ctx, args, _rest, kwargs) => {
        const data = sendData(ctx, args, kwargs);
        const alone = isMasterless(ctx) || isMasterDisabled(ctx);
        return alone ? fireLocal(ctx, data, args.tag) : fireMaster(ctx, data, args.tag, args.preload);
      },
    }),
  },
});

function isMasterDisabled(ctx: ModuleContext): boolean {
  return ctx.opts.get('master_type') === 'disable' && !truthy(ctx.opts.get('use_master_when_local'));
}
