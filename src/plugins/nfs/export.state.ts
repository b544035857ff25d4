/** `nfs_export`: what is exported by NFS (3006.16 salt/states/nfs_export.py). */
import { findProgram } from '../../host/which.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { exportOptions } from './nfs3.module.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext } from '../shared/state-function.ts';

const FILE = { exports: param.text({ default: '/etc/exports', doc: 'The file.' }) } as const;

async function exported(ctx: StateContext, file: string): Promise<Dict> {
  const found = await ctx.functions.call('nfs3.list_exports', [file]);
  return isDict(found) ? found : dict();
}

/** Clients with hosts and options, in whichever way the options are written. */
const settled = (clients: Value): Value[] =>
  (Array.isArray(clients) ? clients : []).map((client) => {
    const about: Dict = isDict(client) ? client : dict();
    return dict({ hosts: about.get('hosts') ?? null, options: exportOptions(about.get('options') ?? null) });
  });

/** Has the server read the file. @returns whether it says nothing against it, and what it says */
async function reloaded(ctx: StateContext): Promise<{ readonly result: boolean; readonly said: string }> {
  const ended = await ctx.functions.call('nfs3.reload_exports');
  const about: Dict = isDict(ended) ? ended : dict();
  return { result: truthy(about.get('result')), said: pyStr(about.get('stderr') ?? '') };
}

/** The states of `nfs_export`. */
export const nfsExportStates = defineModule({
  name: 'nfs_export',
  file: 'nfs_export',
  doc: 'What is exported by NFS.',
  unavailable: () =>
    findProgram('exportfs') === undefined
      ? 'The nfs_exports state module failed to load: the exportfs binary is not in the path'
      : undefined,
  functions: {
    present: defineState({
      doc: 'Makes sure that a folder is exported to exactly some clients.',
      params: {
        name: param.text({ doc: 'The folder.' }),
        clients: param.listIfGiven({ default: null, doc: 'The clients, each with hosts and options.' }),
        hosts: param.value({
          default: null,
          type: 'str',
          doc: 'The only client, where no clients are given.',
        }),
        options: param.value({ default: null, type: 'list or str', doc: 'The options for it.' }),
        ...FILE,
      },
      run: async (ctx, { name, clients, hosts, options, exports }) => {
        if (!truthy(clients) && !truthy(hosts))
          return outcome(name, false, "Either 'clients' or 'hosts' must be defined");
        const wanted = settled(
          clients !== undefined && clients.length > 0 ? clients : [dict({ hosts, options })],
        );
        const old = (await exported(ctx, exports)).get(name);
        if (old !== undefined && valuesEqual(settled(old), wanted))
          return outcome(name, true, `Export ${name} already configured`);
        const changes =
          old === undefined ? dict({ old: null, new: wanted }) : dict({ new: wanted, old: old });
        if (ctx.state.test)
          return outcome(
            name,
            null,
            `Export ${name} would be ${old === undefined ? 'added' : 'changed'}`,
            changes,
          );
        if (old !== undefined) await ctx.functions.call('nfs3.del_export', [exports, name]);
        for (const client of wanted) {
          const about: Dict = isDict(client) ? client : dict();
          const args = [exports, name, about.get('hosts') ?? null, about.get('options') ?? null];
          await ctx.functions.call('nfs3.add_export', args);
        }
        const { result, said } = await reloaded(ctx);
        return outcome(name, result, said, changes);
      },
    }),
    absent: defineState({
      doc: 'Makes sure that a folder is not exported.',
      params: { name: param.text({ doc: 'The folder.' }), ...FILE },
      run: async (ctx, { name, exports }) => {
        const old = (await exported(ctx, exports)).get(name);
        if (old === undefined) return outcome(name, true, `Export ${name} already absent`);
        const changes = dict({ [name]: old });
        if (ctx.state.test) return outcome(name, null, `Export ${name} would be removed`, changes);
        await ctx.functions.call('nfs3.del_export', [exports, name]);
        const { result, said } = await reloaded(ctx);
        return outcome(name, result, result ? `Export ${name} removed` : said, changes);
      },
    }),
  },
});
