/** Templates: calls that people keep under a name, each for himself or for all. */
import {
  CallTemplates,
  TEMPLATES_MAX,
  type CallTemplate,
  type TemplateRefusal,
} from '../../../../storage/templates/call-templates.ts';
import { dict, isDict, type Value } from '../../../../python/values/value.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { ApiFault } from '../fault.ts';
import { isoTime } from '../job-views.ts';
import type { Need } from '../need.ts';
import { page, pageOf, pageQuery } from '../pages.ts';
import { route, type Route } from '../route.ts';
import {
  component,
  flag,
  mapping,
  nullable,
  object,
  oneOf,
  optional,
  text,
  type SchemaType,
} from '../schema.ts';
import type { UserStanding } from '../rights.ts';

const SHARES: Need = { client: 'runner', fun: 'api.share_template' };
const TEXT_MAX = 8000;

const templateCall = component(
  'TemplateCall',
  object({
    kind: oneOf(['local', 'runner', 'wheel']),
    tgt: text({ maxLength: 4000 }),
    tgt_type: text({ maxLength: 32 }),
    fun: text({ minLength: 1, maxLength: 200 }),
    fields: mapping(text({ maxLength: TEXT_MAX }), 'arguments by name, as they were typed'),
    line: text({ maxLength: TEXT_MAX, description: 'further arguments, as on the command line' }),
  }),
);
const template = component(
  'Template',
  object({
    id: text(),
    name: text(),
    shared: flag('everybody who may log in sees it'),
    owner: text({ description: 'who has kept it' }),
    mine: flag('whether one may change and delete it'),
    version: text({ description: 'another one after each change' }),
    changed: nullable(text({ format: 'date-time' })),
    call: templateCall,
  }),
);
const newTemplate = component(
  'NewTemplate',
  object({
    name: text({ minLength: 1, maxLength: 80 }),
    call: templateCall,
    version: optional(
      text({ maxLength: 64, description: 'of the one that it replaces; left out for a new one' }),
    ),
  }),
);

/** The routes. */
export const templateRoutes: readonly Route[] = [
  route({
    id: 'templates.list',
    method: 'GET',
    path: '/templates',
    summary: 'Templates of calls: your own, and those that are shared.',
    doc: 'A template gives no right: what it calls is still decided by the master, for whoever sends it.',
    query: pageQuery,
    answer: page(template),
    faults: ['bad-cursor'],
    run: async ({ deps, caller, query }) => {
      const standing = await deps.rights.ask(caller);
      const found = pageOf('templates', templatesOf(deps).list(ownerOf(standing)), query);
      return { ...found, items: found.items.map((each) => viewOf(each, standing)) };
    },
  }),
  ...[false, true].map((isShared) =>
    route({
      id: isShared ? 'templates.share' : 'templates.save',
      method: 'POST',
      path: isShared ? '/templates/shared' : '/templates',
      summary: isShared ? 'Keeps a template that everybody sees.' : 'Keeps a template of your own.',
      doc: 'With `version` it replaces the one of that name, unless it has been changed since (`conflict`).',
      ...(isShared ? { needs: SHARES } : {}),
      body: newTemplate,
      status: 201,
      answer: template,
      faults: ['conflict', 'not-found', 'not-allowed', 'too-large'],
      run: ({ deps, caller, body }) => save(deps, caller, body, isShared),
    }),
  ),
  route({
    id: 'templates.delete',
    method: 'DELETE',
    path: '/templates/{id}',
    summary: 'Deletes a template of your own, or one that you have shared.',
    params: { id: text({ minLength: 1, maxLength: 64 }) },
    query: { version: optional(text({ maxLength: 64, description: 'only if it is still this one' })) },
    faults: ['conflict', 'not-found', 'not-allowed'],
    run: async ({ deps, caller, params: { id }, query }) => {
      const standing = await deps.rights.ask(caller);
      const found = templatesOf(deps).find(ownerOf(standing), id);
      if (found === undefined) throw new ApiFault('not-found', 'There is no such template.');
      requireOwn(found, standing);
      const refusal = templatesOf(deps).delete(found, query.version);
      if (refusal !== undefined) throw faultOf(refusal, found.name);
    },
  }),
];

function templatesOf({ files }: Pick<Deps, 'files'>): CallTemplates {
  return new CallTemplates(files.opts.get('pki_dir'));
}

/** Two people of the same name in two systems are two people. */
function ownerOf({ user, eauth }: UserStanding): string {
  return `${eauth}:${user}`;
}

async function save(
  deps: Deps,
  caller: Caller,
  { name, call, version }: SchemaType<typeof newTemplate>,
  isShared: boolean,
): Promise<SchemaType<typeof template>> {
  const standing = await deps.rights.ask(caller);
  const owner = ownerOf(standing);
  const templates = templatesOf(deps);
  const there = templates.list(owner).find((each) => each.isShared === isShared && each.name === name);
  // a name that is taken is told as such, whoever has it
  if (there !== undefined && version !== undefined) requireOwn(there, standing);
  const { fields, ...rest } = call;
  const kept = templates.save(
    {
      name,
      owner: there?.owner ?? owner,
      isShared,
      changed: Math.floor(deps.clock.nowMs() / 1000),
      call: dict({ ...rest, fields: new Map<Value, Value>(fields) }),
    },
    version,
    deps.random,
  );
  if (typeof kept === 'string') throw faultOf(kept, name);
  if (isShared) deps.log.info(`${standing.user} has shared the template ${JSON.stringify(name)}`);
  return viewOf(kept, standing);
}

/** @throws ApiFault `not-allowed` */
function requireOwn(found: CallTemplate, standing: UserStanding): void {
  if (isOwn(found, standing)) return;
  throw new ApiFault(
    'not-allowed',
    `The template ${found.name} was shared by ${found.owner}, who alone may change it: keep a copy under another name.`,
  );
}

/** Whoever may do everything may clear up after others. */
function isOwn({ owner, isShared }: CallTemplate, standing: UserStanding): boolean {
  return owner === ownerOf(standing) || (isShared && standing.isFull);
}

function faultOf(refusal: TemplateRefusal, name: string): ApiFault {
  switch (refusal) {
    case 'taken':
      return new ApiFault(
        'conflict',
        `There is a template ${name} already: send its version to replace it.`,
        {
          field: 'name',
        },
      );
    case 'changed':
      return new ApiFault('conflict', `The template ${name} has been changed since: load it again.`, {
        field: 'version',
      });
    case 'missing':
      return new ApiFault('not-found', `There is no template ${name} any more.`);
    case 'too-many':
      return new ApiFault(
        'conflict',
        `No more templates are kept than ${TEMPLATES_MAX.own} of one user and ${TEMPLATES_MAX.shared} that are shared: delete one first.`,
      );
    case 'too-large':
      return new ApiFault('too-large', `The template ${name} is too large: 32 KiB are kept.`);
  }
}

function viewOf(found: CallTemplate, standing: UserStanding): SchemaType<typeof template> {
  const { id, name, owner, isShared, version, changed, call } = found;
  const said = (key: string): string => {
    const value = call.get(key);
    return typeof value === 'string' ? value : '';
  };
  const [kind, fields] = [said('kind'), call.get('fields')];
  return {
    ...{ id, name, owner, version },
    shared: isShared,
    mine: isOwn(found, standing),
    changed: isoTime(changed * 1000),
    call: {
      kind: kind === 'runner' || kind === 'wheel' ? kind : 'local',
      ...{ tgt: said('tgt'), tgt_type: said('tgt_type'), fun: said('fun'), line: said('line') },
      fields: new Map(
        isDict(fields ?? null)
          ? [...(fields as Map<Value, Value>)].map(([key, value]) => [String(key), String(value)] as const)
          : [],
      ),
    },
  };
}
