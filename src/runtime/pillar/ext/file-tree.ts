/** The external pillar file_tree: folders and files as nested data (3006.16 salt/pillar/file_tree.py). */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, normalize } from 'node:path';
import { mergeRecurse } from '../../../formats/data/dict-merge.ts';
import { messageOf } from '../../../errors/errors.ts';
import { safeJoin } from '../../../host/files.ts';
import { rendererRules, type RenderPipe } from '../../renderers/pipe.ts';
import { matchMinion } from '../../targeting/match-minion.ts';
import { nodegroupsOf } from '../../targeting/nodegroups.ts';
import { parseTarget } from '../../targeting/parse-target.ts';
import { fnmatch } from '../../../python/text/fnmatch.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { decodeUtf8 } from '../../../python/values/text.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import {
  checkSourceSize,
  namedSettings,
  SOURCE_BYTES_MAX,
  type ExtPillar,
  type ExtPillarContext,
} from './ext-pillar.ts';
import { isDir } from '../../../python/paths.ts';

const NAMES = [
  'root_dir',
  'follow_dir_links',
  'debug',
  'keep_newline',
  'render_default',
  'renderer_blacklist',
  'renderer_whitelist',
  'template',
];
const DEPTH_MAX = 40;

interface TreeOptions {
  readonly followLinks: boolean;
  readonly keepNewline: Value;
  /** What was read so far, for all folders of one minion together. */
  readonly read: { sizeBytes: number };
  readonly render: ((text: string, path: string) => Promise<Value>) | undefined;
}

/** Whether the last newline of a file is taken away. */
function cutsNewline(keep: Value, prefix: string, name: string): boolean {
  if (typeof keep === 'boolean') return !keep;
  const path = prefix === '' ? name : `${prefix}/${name}`;
  return !(Array.isArray(keep) && keep.some((pattern) => fnmatch(path, pyStr(pattern))));
}

async function readTree(
  folder: string,
  prefix: string,
  options: TreeOptions,
  context: ExtPillarContext,
  depth = 0,
): Promise<Dict> {
  const out: Dict = new Map();
  if (depth > DEPTH_MAX) return out;
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const below = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (isDir(path)) {
      const followed = !entry.isSymbolicLink() || options.followLinks;
      out.set(entry.name, followed ? await readTree(path, below, options, context, depth + 1) : new Map());
      continue;
    }
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
      context.log.error(`file_tree: ${path}: not a regular file`);
      continue;
    }
    try {
      out.set(
        entry.name,
        await readLeaf(path, cutsNewline(options.keepNewline, prefix, entry.name), options),
      );
    } catch (error) {
      if (options.read.sizeBytes > SOURCE_BYTES_MAX) throw error;
      context.log.error(`file_tree: Error reading ${path}: ${messageOf(error)}`);
    }
  }
  return out;
}

async function readLeaf(path: string, cut: boolean, options: TreeOptions): Promise<Value> {
  // before it is read: a file may be larger than memory
  options.read.sizeBytes += statSync(path).size;
  checkSourceSize(`file_tree, with ${path},`, options.read.sizeBytes);
  const bytes = readFileSync(path);
  const content = cut && bytes.at(-1) === 10 ? bytes.subarray(0, -1) : bytes;
  const text = decodeUtf8(content);
  if (options.render && text !== undefined) return options.render(text, path);
  // text reaches minions as text; what is none stays bytes
  return text ?? Uint8Array.from(content);
}

function rootsOf(root: string, context: ExtPillarContext): string[] {
  if (isAbsolute(root)) return [root];
  const { opts, log } = context;
  const env = opts.get('pillarenv');
  const roots = opts.get('pillar_roots');
  const folders = typeof env === 'string' && isDict(roots) ? roots.get(env) : undefined;
  if (!Array.isArray(folders)) {
    log.error('file_tree: root_dir is relative but pillarenv is not set, or has no pillar_roots');
    return [];
  }
  return [...new Set(folders.map((folder) => normalize(join(pyStr(folder), root))))];
}

async function groupTrees(root: string, options: TreeOptions, context: ExtPillarContext): Promise<Dict> {
  let out: Dict = new Map();
  const folder = join(root, 'nodegroups');
  const groups = nodegroupsOf(context.opts.get('nodegroups'));
  if (!isDir(folder)) return out;
  const subject = { id: context.minionId, grains: context.grains, pillar: context.pillar };
  for (const name of readdirSync(folder).sort()) {
    if (!groups.has(name)) continue;
    if (!matchMinion(parseTarget(name, 'nodegroup', ':', groups), subject)) continue;
    out = mergeRecurse(out, await readTree(join(folder, name), '', options, context));
  }
  return out;
}

/** Makes the external pillar. */
export function fileTree(pipe: RenderPipe): ExtPillar {
  return async (settings, context) => {
    const given = namedSettings(settings, NAMES);
    const { opts, log, minionId } = context;
    const root = given.get('root_dir');
    if (typeof root !== 'string' || root === '') {
      log.error('file_tree: no root_dir specified');
      return new Map();
    }
    const opt = (name: string): Value | undefined => given.get(name) ?? opts.get(name);
    const render = (text: string, path: string): Promise<Value> =>
      pipe.render(
        text,
        pyStr(given.get('render_default') ?? opts.get('renderer') ?? 'jinja|yaml'),
        rendererRules(opt),
        {
          opt,
          saltenv: 'base',
          sls: '',
          path,
          variables: new Map<string, Value>([
            ['opts', opts],
            ['grains', context.grains],
            ['pillar', context.pillar],
          ]),
          functions: { has: () => false, call: () => null },
          readTemplate: () => undefined,
        },
      );
    const options: TreeOptions = {
      followLinks: truthy(given.get('follow_dir_links')),
      keepNewline: given.get('keep_newline') ?? false,
      read: { sizeBytes: 0 },
      render: given.get('template') === true ? render : undefined,
    };
    let out: Dict = new Map();
    for (const folder of rootsOf(root, context)) {
      if (!isDir(folder)) {
        log.error(`file_tree: root_dir ${folder} does not exist or is not a directory`);
        continue;
      }
      out = mergeRecurse(out, await groupTrees(folder, options, context));
      const host = safeJoin(join(folder, 'hosts'), minionId);
      if (isDir(host)) out = mergeRecurse(out, await readTree(host, '', options, context));
    }
    return out;
  };
}
