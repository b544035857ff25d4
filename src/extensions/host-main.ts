/** The inside of the process in which code of one's own is tried, see `host-process.ts`. */
import { Socket } from 'node:net';
import { RpcPeer } from '../transport/ipc/rpc.ts';
import { dict, isDict, type Dict, type Value } from '../values/value.ts';
import { decode, encode } from '../wire/msgpack.ts';
import { fromData, toRecord } from './convert.ts';
import { NEEDS_GRAINS, packTried } from './description.ts';
import { HostSingles, type AskBack } from './host-singles.ts';
import { FileLoader } from './load-file.ts';
import { faultOf } from './faults.ts';
import { tryModule } from './load-modules.ts';
import { asksForGrains, readOwnGrains, whyUnavailable } from './read-module.ts';

/** The other end is at this descriptor. */
const LINK_FD = 3;

/** Runs this process as a host. */
export function runExtensionHost(): void {
  process.title = (process.argv[2] ?? 'salt modules').trim();
  const loader = new FileLoader();
  const askBack: AskBack = async (question) => decode(await rpc.call(encode(question, 'local')), 'local');
  const singles = new HostSingles(loader, askBack);
  const rpc: RpcPeer = new RpcPeer(new Socket({ fd: LINK_FD, readable: true, writable: true }), {
    call: async (body) => {
      const question = decode(body, 'local');
      return encode(await answer(loader, singles, isDict(question) ? question : new Map()), 'local');
    },
    closed: () => process.exit(0),
  });
}

async function answer(loader: FileLoader, singles: HostSingles, question: Dict): Promise<Value> {
  const single = singles.answer(question);
  if (single !== undefined) return single;
  const file = { name: textOf(question, 'name'), path: textOf(question, 'path'), version: '' };
  const context = { opts: dictOf(question, 'opts'), grains: dictOf(question, 'grains') };
  if (question.get('what') === 'module') {
    if (!question.has('grains') && asksForGrains(loader, file.path)) return NEEDS_GRAINS;
    return packTried(tryModule(loader, file, context));
  }
  if (!question.has('grains')) return NEEDS_GRAINS;
  return grainsOf(loader, file.path, context);
}

/** `{grains, faults}`: one function that fails does not take the others with it. */
async function grainsOf(
  loader: FileLoader,
  path: string,
  { opts, grains }: { readonly opts: Dict; readonly grains: Dict },
): Promise<Value> {
  const found: Dict = new Map();
  const faults: string[] = [];
  try {
    const own = readOwnGrains(loader.load(path));
    if (whyUnavailable(own, opts, grains) !== undefined) return dict({ grains: found, faults });
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
  return dict({ grains: found, faults });
}

function textOf(value: Dict, key: string): string {
  const text = value.get(key);
  return typeof text === 'string' ? text : '';
}

function dictOf(value: Dict, key: string): Dict {
  const found = value.get(key);
  return isDict(found) ? found : new Map();
}
