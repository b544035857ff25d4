/** `postgres_tablespace`: tablespaces of PostgreSQL (3006.16 salt/states/postgres_tablespace.py). */
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type DictInit, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { settingsOf } from './module/databases.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import {
  failed,
  forgetTroubles,
  nameOf,
  placeKeywords,
  PLACE_AND_DATABASE,
  postgres,
  switched,
  unanswered,
  withoutPostgres,
  withoutRole,
  type Place,
} from './state/parts.ts';

interface WantedTablespace extends Place {
  readonly name: string;
  readonly directory: string;
  readonly options: Dict | undefined;
  readonly owner: string | undefined;
}

async function create(ctx: StateContext, wanted: WantedTablespace, keywords: DictInit): Promise<StateResult> {
  const { name, directory, options, owner } = wanted;
  const refusal =
    unanswered(ctx, name, `Failed to create tablespace ${name}`) ??
    (await withoutRole(ctx, name, [owner], keywords));
  if (refusal !== undefined) return refusal;
  if (ctx.state.test) return outcome(name, null, `Tablespace ${name} is set to be created`);
  const args = [name, directory, options ?? null, owner ?? null];
  return truthy(await postgres(ctx, 'tablespace_create', args, keywords))
    ? outcome(name, true, `The tablespace ${name} has been created`, dict({ [name]: 'Present' }))
    : failed(ctx, name, `Failed to create tablespace ${name}`);
}

/** The settings that are not as they are to be. The server shows them as `{seq_page_cost=1.1,random_page_cost=3.9}`. */
function wrongSettings(options: Dict, shown: string): Dict {
  const present = new Set(shown.replace(/^\{|\}$/g, '').split(','));
  return new Map([...options].filter(([name, value]) => !present.has(`${pyStr(name)}=${pyStr(value)}`)));
}

/**
 * Changes owner and settings.
 * Salt compat: Salt's state changes the owner in test mode too, and both without the connection that it was given.
 */
async function alter(
  ctx: StateContext,
  wanted: WantedTablespace,
  { found, keywords }: { readonly found: Dict; readonly keywords: DictInit },
): Promise<StateResult> {
  const { name, owner } = wanted;
  const isOwnerOther = owner !== undefined && pyStr(found.get('Owner') ?? '') !== owner;
  const wrong = wrongSettings(wanted.options ?? dict(), pyStr(found.get('Opts') ?? ''));
  if (!isOwnerOther && wrong.size === 0) return outcome(name, true, `Tablespace ${name} is already present`);
  if (ctx.state.test)
    return outcome(
      name,
      null,
      wrong.size > 0
        ? `Tablespace ${name} options to be\n                        altered`
        : `Tablespace ${name} owner to be altered`,
    );
  const changes: Dict = new Map();
  if (isOwnerOther) {
    if (!truthy(await postgres(ctx, 'tablespace_alter', [name], { new_owner: owner, ...keywords })))
      return failed(ctx, name, `Failed to change the owner of tablespace ${name}`);
    changes.set('owner', owner);
  }
  if (wrong.size > 0) {
    if (!truthy(await postgres(ctx, 'tablespace_alter', [name], { set_option: wrong, ...keywords })))
      return {
        ...failed(ctx, name, `Failed to change the options of tablespace ${name}`),
        changes: changes.size === 0 ? dict() : new Map<Value, Value>([[name, changes]]),
      };
    changes.set('options', wrong);
  }
  const comment = `Tablespace ${name} ${wrong.size > 0 ? 'opts' : 'owner'} changed`;
  return outcome(name, true, comment, new Map<Value, Value>([[name, changes]]));
}

async function present(ctx: StateContext, wanted: WantedTablespace): Promise<StateResult> {
  const { name, directory } = wanted;
  forgetTroubles(ctx);
  const keywords = placeKeywords(wanted);
  const all = await postgres(ctx, 'tablespace_list', [], keywords);
  const found = isDict(all) ? all.get(name) : undefined;
  if (!isDict(found)) return create(ctx, wanted, keywords);
  if (pyStr(found.get('Location') ?? '') !== directory)
    return outcome(
      name,
      false,
      `Tablespace ${name} is not at the right location. This is\n            unfixable without dropping and recreating the tablespace.`,
    );
  return alter(ctx, wanted, { found, keywords });
}

/** The states of `postgres_tablespace`. */
export const postgresTablespaceStates = defineModule({
  name: 'postgres_tablespace',
  file: 'postgres_tablespace',
  doc: 'Tablespaces of PostgreSQL.',
  unavailable: withoutPostgres,
  functions: {
    present: defineState({
      doc: 'Makes sure that there is a tablespace, with its owner and settings.',
      params: {
        ...nameOf('tablespace'),
        directory: param.text({ doc: 'Its folder, which must be there; it cannot be changed.' }),
        options: param.by(settingsOf, {
          default: null,
          type: 'dict',
          doc: 'Its settings: seq_page_cost, random_page_cost.',
        }),
        owner: param.textIfGiven({ default: null, doc: 'The owner.' }),
        ...PLACE_AND_DATABASE,
      },
      run: present,
    }),
    absent: defineState({
      doc: 'Makes sure that there is no such tablespace.',
      params: { ...nameOf('tablespace'), ...PLACE_AND_DATABASE },
      run: async (ctx, { name, ...place }) => {
        forgetTroubles(ctx);
        const keywords = placeKeywords(place);
        return switched(ctx, {
          name,
          isRight: !truthy(await postgres(ctx, 'tablespace_exists', [name], keywords)),
          change: 'Absent',
          right: `Tablespace ${name} is not present, so it cannot be removed`,
          foretold: `Tablespace ${name} is set to be removed`,
          done: `Tablespace ${name} has been removed`,
          failure: `Tablespace ${name} failed to be removed`,
          run: async () => truthy(await postgres(ctx, 'tablespace_remove', [name], keywords)),
        });
      },
    }),
  },
});
