/** The inside of the process in which custom code is tried, see `host-process.ts`. */
import { Socket } from 'node:net';
import { clientOf, handlersOf, type Handlers } from '../../network/ipc/contract.ts';
import { extensionHost, extensionServices } from '../../network/ipc/contracts/extension-host.ts';
import { dropAllocatorSettings } from '../../host/allocator.ts';
import { RpcPeer } from '../../network/ipc/rpc.ts';
import { isDict, type Dict } from '../../python/values/value.ts';
import { fromData, toRecord } from './convert.ts';
import { describeTried } from './description.ts';
import { singleHandlers } from './host-singles.ts';
import { FileLoader } from './load-file.ts';
import { faultOf } from './faults.ts';
import { tryModule } from './load-modules.ts';
import { asksForGrains, readOwnGrains, whyUnavailable } from './read-module.ts';

/** The other end is at this descriptor. */
const LINK_FD = 3;

/** Runs this process as a host. */
export function runExtensionHost(): void {
  dropAllocatorSettings(process.env);
  process.title = (process.argv[2] ?? 'salt modules').trim();
  const loader = new FileLoader();
  const files = fileHandlers(loader);
  const rpc: RpcPeer = new RpcPeer(new Socket({ fd: LINK_FD, readable: true, writable: true }), {
    call: (body) => answers.call(body),
    closed: () => process.exit(0),
  });
  const answers = handlersOf(extensionHost, {
    ...files,
    ...singleHandlers(loader, clientOf(extensionServices, rpc)),
  });
}

/** Files that are tried, and grains. */
function fileHandlers(loader: FileLoader): Pick<Handlers<typeof extensionHost>, 'tryModule' | 'grains'> {
  return {
    tryModule: ({ name, path, opts, grains }) => {
      if (grains === undefined && asksForGrains(loader, path)) return { kind: 'needs grains' };
      return describeTried(
        tryModule(loader, { name, path, version: '' }, { opts, grains: grains ?? new Map() }),
      );
    },
    grains: async ({ path, opts, grains }) =>
      grains === undefined
        ? { kind: 'needs grains' }
        : { kind: 'found', ...(await grainsOf(loader, path, { opts, grains })) },
  };
}

/** One function that fails does not take the others with it. */
async function grainsOf(
  loader: FileLoader,
  path: string,
  { opts, grains }: { readonly opts: Dict; readonly grains: Dict },
): Promise<{ readonly grains: Dict; readonly faults: string[] }> {
  const found: Dict = new Map();
  const faults: string[] = [];
  try {
    const own = readOwnGrains(loader.load(path));
    if (whyUnavailable(own, opts, grains) !== undefined) return { grains: found, faults };
    for (const [name, give] of Object.entries(own.grains)) {
      try {
        const given = fromData(
          await give({ opts: toRecord(opts), grains: toRecord(new Map([...grains, ...found])) }),
        );
        if (isDict(given)) for (const [key, value] of given) found.set(key, value);
        else if (given !== null) faults.push(`${path}: grains.${name} gives no object`);
      } catch (error) {
        faults.push(`${path}: grains.${name} failed: ${faultOf(error)}`);
      }
    }
  } catch (error) {
    faults.push(`${path} cannot be loaded: ${faultOf(error)}`);
  }
  return { grains: found, faults };
}
