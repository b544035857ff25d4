/** `icinga2`: tickets and certificates of Icinga 2 (3006.16 salt/states/icinga2.py). */
import { writeFileAtomic } from '../../host/files.ts';
import { isFile } from '../../python/paths.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { certsPath, nodeName, saidBy } from './module.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const NAME = { name: param.text({ doc: 'The name of the node.' }) } as const;
const MASTER = { master: param.text({ doc: 'The host of the master.' }) } as const;
const TICKET = { ticket: param.text({ doc: 'The ticket that the master has given out.' }) } as const;
/** Who may read a file with a ticket. */
const TICKET_MODE = 0o600;

const icinga = (ctx: StateContext, fun: string, args: readonly Value[]): Promise<Value> =>
  ctx.functions.call(`icinga2.${fun}`, args);

interface WantedTicket {
  readonly name: string;
  readonly output: string | undefined;
  readonly grain: string | undefined;
  readonly key: string | undefined;
  readonly overwrite: boolean;
}

/** Where a ticket goes, for people; undefined: nowhere. */
function placeOf({ output, grain, key }: WantedTicket): string | undefined {
  if (output !== 'grain') return output;
  return key === undefined ? grain : `${grain}:${key}`;
}

/** Whether there is a ticket already. */
async function isStored(ctx: StateContext, { output, grain, key }: WantedTicket): Promise<boolean> {
  if (output === undefined) return false;
  if (output !== 'grain') return isFile(output);
  const names = await ctx.functions.call('grains.ls');
  const isThere = Array.isArray(names) && names.includes(grain ?? '');
  if (key === undefined || !isThere) return isThere && key === undefined;
  const value = await ctx.functions.call('grains.get', [grain ?? '']);
  return isDict(value) && value.has(key);
}

async function store(
  ctx: StateContext,
  { output, grain = '', key }: WantedTicket,
  ticket: string,
): Promise<void> {
  if (output === undefined) return;
  if (output !== 'grain') return writeFileAtomic(output, ticket, { mode: TICKET_MODE });
  const known = key === undefined ? null : await ctx.functions.call('grains.get', [grain]);
  const value: Value =
    key === undefined ? ticket : new Map([...(isDict(known) ? known : dict()), [key, ticket]]);
  await ctx.functions.call('grains.setval', [grain, value]);
}

async function generateTicket(ctx: StateContext, wanted: WantedTicket): Promise<StateResult> {
  const { name, output, grain, overwrite } = wanted;
  if (output === 'grain' && grain === undefined)
    return failure(name, "Error: output type 'grain' needs the grain parameter\n");
  const place = placeOf(wanted);
  const isGrain = output === 'grain';
  if (!overwrite && (await isStored(ctx, wanted)))
    return outcome(name, true, `No execution needed. ${isGrain ? 'Grain' : 'File'} ${place} already set`);
  if (ctx.state.test) {
    const how =
      place === undefined
        ? 'not storing result'
        : `storing result in ${isGrain ? 'grain' : 'file'}: ${place}`;
    return outcome(name, null, `Ticket generation would be executed, ${how}`);
  }
  const { isGood, stdout: ticket, all } = saidBy(await icinga(ctx, 'generate_ticket', [name]));
  // Salt compat: Salt stores what a program that failed has printed, and calls it done
  if (!isGood) return failure(name, `FAILED. Ticket generation failed with output: ${all}`);
  await store(ctx, wanted, ticket);
  const done =
    place === undefined
      ? 'Executed'
      : isGrain
        ? `Executed. Output into grain: ${place}`
        : `Executed. Output into ${place}`;
  return outcome(name, true, ticket, dict({ ticket: done }));
}

interface Step {
  readonly name: string;
  /** Files that are there when it is done. */
  readonly files: readonly string[];
  readonly isDone: string;
  readonly foretold: string;
  readonly done: string;
  /** As messages begin when it fails. */
  readonly failed: string;
  readonly changes: Dict;
  run(): Promise<Value>;
}

async function step(ctx: StateContext, wanted: Step): Promise<StateResult> {
  const { name, files } = wanted;
  if (files.every((file) => isFile(file))) return outcome(name, true, wanted.isDone);
  if (ctx.state.test) return outcome(name, null, wanted.foretold);
  const { isGood, all } = saidBy(await wanted.run());
  return isGood
    ? outcome(name, true, wanted.done, wanted.changes)
    : failure(name, `${wanted.failed}: ${all}`);
}

/** The states of `icinga2`. */
export const icinga2States = defineModule({
  name: 'icinga2',
  file: 'icinga2',
  doc: 'Tickets and certificates of Icinga 2.',
  needs: { fun: 'icinga2.generate_ticket', otherwise: 'icinga2 module could not be loaded' },
  functions: {
    generate_ticket: defineState({
      doc: 'Makes a ticket for a node, and keeps it in a file or a grain.',
      params: {
        ...NAME,
        output: param.textIfGiven({ default: null, doc: 'A file, or `grain`.' }),
        grain: param.textIfGiven({ default: null, doc: 'The grain.' }),
        key: param.textIfGiven({ default: null, doc: 'A key within the grain.' }),
        overwrite: param.flag({ default: true, doc: 'Make a new one even though there is one.' }),
      },
      run: (ctx, wanted) => generateTicket(ctx, wanted),
    }),
    generate_cert: defineState({
      doc: 'Makes sure that a node has a key and a certificate.',
      params: NAME,
      run: async (ctx, { name }) => {
        const file = `${await certsPath(ctx)}${nodeName(name)}`;
        return step(ctx, {
          name,
          files: [`${file}.crt`, `${file}.key`],
          isDone: `No execution needed. Cert: ${file}.crt and key: ${file}.key already generated.`,
          foretold: 'Certificate and key generation would be executed',
          done: 'Certificate and key generated',
          failed: 'FAILED. Certificate and key generation failed with output',
          changes: dict({
            cert: `Executed. Certificate saved: ${file}.crt`,
            key: `Executed. Key saved: ${file}.key`,
          }),
          run: () => icinga(ctx, 'generate_cert', [name]),
        });
      },
    }),
    save_cert: defineState({
      doc: 'Makes sure that the certificate of the master is here.',
      params: { ...NAME, ...MASTER },
      run: async (ctx, { name, master }) => {
        const cert = `${await certsPath(ctx)}trusted-master.crt`;
        return step(ctx, {
          name,
          files: [cert],
          isDone: `No execution needed. Cert: ${cert} already saved.`,
          foretold: 'Certificate save for icinga2 master would be executed',
          done: 'Certificate for icinga2 master saved',
          failed: 'FAILED. Certificate save failed with output',
          changes: dict({ cert: `Executed. Certificate saved: ${cert}` }),
          run: () => icinga(ctx, 'save_cert', [name, master]),
        });
      },
    }),
    request_cert: defineState({
      doc: 'Makes sure that the master has signed the certificate of a node.',
      params: {
        ...NAME,
        ...MASTER,
        ...TICKET,
        port: param.text({ default: '5665', doc: 'The port of the master.' }),
      },
      run: async (ctx, { name, master, ticket, port }) => {
        const cert = `${await certsPath(ctx)}ca.crt`;
        return step(ctx, {
          name,
          files: [cert],
          isDone: `No execution needed. Cert: ${cert} already exists.`,
          foretold: 'Certificate request from icinga2 master would be executed',
          done: 'Certificate request from icinga2 master executed',
          failed: 'FAILED. Certificate requested failed with output',
          changes: dict({ cert: `Executed. Certificate requested: ${cert}` }),
          run: () => icinga(ctx, 'request_cert', [name, master, ticket, port]),
        });
      },
    }),
    node_setup: defineState({
      doc: 'Makes sure that a node is set up.',
      params: { ...NAME, ...MASTER, ...TICKET },
      run: async (ctx, { name, master, ticket }) =>
        step(ctx, {
          name,
          files: [`${await certsPath(ctx)}${nodeName(name)}.crt.orig`],
          isDone: 'No execution needed. Node already configured.',
          foretold: 'Node setup will be executed.',
          done: 'Node setup executed.',
          failed: 'FAILED. Node setup failed with outpu',
          changes: dict({ cert: 'Node setup finished successfully.' }),
          run: () => icinga(ctx, 'node_setup', [name, master, ticket]),
        }),
    }),
  },
});
