/**
 * Calls that people keep under a name, each for himself or for everybody who may log in. Not Salt's, but ours: a file
 * of JSON for each in `<pki_dir>/api_templates`, beside the API tokens. No name from outside becomes the name of a
 * file, but the hash of it.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson, toJson } from '../../formats/json/text.ts';
import { syncFolder } from '../../host/disk-sync.ts';
import { makeDirectory, safeJoin, writeFileAtomic } from '../../host/files.ts';
import type { Random } from '../../host/random.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';

/** A call under a name. */
export interface CallTemplate {
  /** Made of the owner and the name. */
  readonly id: string;
  readonly name: string;
  /** Who has kept it, with the system that he logged in by. */
  readonly owner: string;
  readonly isShared: boolean;
  /** Another one after each change. */
  readonly version: string;
  /** Seconds since 1970. */
  readonly changed: number;
  readonly call: Dict;
}

/** What is to be kept. */
export type NewTemplate = Pick<CallTemplate, 'name' | 'owner' | 'isShared' | 'changed' | 'call'>;

/** Why something was not kept or deleted. */
export type TemplateRefusal = 'changed' | 'missing' | 'taken' | 'too-many' | 'too-large';

/** Those of one owner, and those that are shared. */
export const TEMPLATES_MAX = { own: 200, shared: 500 } as const;
const OWNERS_MAX = 2000;
const BYTES_MAX = 32_768;
const FOLDER = 'api_templates';
const SHARED = 'shared';
const ID = /^[0-9a-f]{32}$/;

/** The templates of a master. */
export class CallTemplates {
  readonly #root: string;

  constructor(pkiDir: string) {
    this.#root = join(pkiDir, FOLDER);
  }

  /** Those that somebody sees, by name: his own, and then the shared ones. */
  list(owner: string): CallTemplate[] {
    return [this.#folderOf(owner), this.#shared()].flatMap((folder) =>
      idsIn(folder)
        .flatMap((id) => this.#read(folder, id) ?? [])
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    );
  }

  /** One that somebody sees. */
  find(owner: string, id: string): CallTemplate | undefined {
    if (!ID.test(id)) return undefined;
    return this.#read(this.#folderOf(owner), id) ?? this.#read(this.#shared(), id);
  }

  /**
   * Keeps one.
   * @param version of the one that it replaces; undefined for a new one
   */
  save(made: NewTemplate, version: string | undefined, random: Random): CallTemplate | TemplateRefusal {
    const { name, owner, isShared } = made;
    const folder = isShared ? this.#shared() : this.#folderOf(owner);
    const id = hashOf(isShared ? `${SHARED}\0${name}` : `own\0${owner}\0${name}`);
    const there = this.#read(folder, id);
    if (version === undefined && there !== undefined) return 'taken';
    if (version !== undefined && there === undefined) return 'missing';
    if (version !== undefined && there?.version !== version) return 'changed';
    if (there === undefined && this.#isFull(folder, isShared)) return 'too-many';
    const kept = { ...made, id, version: Buffer.from(random.bytes(8)).toString('hex') };
    const text = `${toJson(recordOf(kept))}\n`;
    if (Buffer.byteLength(text) > BYTES_MAX) return 'too-large';
    for (const each of [this.#root, folder]) makeDirectory(each, 0o700);
    writeFileAtomic(safeJoin(folder, id), text, { mode: 0o600, durable: true });
    return kept;
  }

  /** @param version that is to be deleted; any without one @returns why not */
  delete({ id, owner, isShared }: CallTemplate, version: string | undefined): TemplateRefusal | undefined {
    const folder = isShared ? this.#shared() : this.#folderOf(owner);
    const there = this.#read(folder, id);
    if (there === undefined) return 'missing';
    if (version !== undefined && there.version !== version) return 'changed';
    rmSync(safeJoin(folder, id), { force: true });
    syncFolder(folder);
    return undefined;
  }

  #shared(): string {
    return join(this.#root, SHARED);
  }

  #folderOf(owner: string): string {
    return safeJoin(this.#root, hashOf(owner));
  }

  #isFull(folder: string, isShared: boolean): boolean {
    const count = idsIn(folder).length;
    if (count >= (isShared ? TEMPLATES_MAX.shared : TEMPLATES_MAX.own)) return true;
    return count === 0 && namesIn(this.#root).length >= OWNERS_MAX;
  }

  #read(folder: string, id: string): CallTemplate | undefined {
    try {
      return readRecord(id, parseJson(readFileSync(safeJoin(folder, id), 'utf8')));
    } catch {
      return undefined; // not there, or not ours
    }
  }
}

function recordOf({ name, owner, isShared, version, changed, call }: CallTemplate): Dict {
  return new Map<Value, Value>([
    ['name', name],
    ['owner', owner],
    ['shared', isShared],
    ['version', version],
    ['changed', changed],
    ['call', call],
  ]);
}

function readRecord(id: string, data: Value): CallTemplate | undefined {
  if (!isDict(data)) return undefined;
  const [name, owner, version] = [data.get('name'), data.get('owner'), data.get('version')];
  const [changed, call] = [data.get('changed'), data.get('call')];
  if (typeof name !== 'string' || typeof owner !== 'string' || typeof version !== 'string') return undefined;
  if (typeof changed !== 'number' || call === undefined || !isDict(call)) return undefined;
  return { id, name, owner, isShared: data.get('shared') === true, version, changed, call };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function idsIn(folder: string): string[] {
  return namesIn(folder)
    .filter((name) => ID.test(name))
    .slice(0, TEMPLATES_MAX.shared);
}
