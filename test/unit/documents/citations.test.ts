/**
 * Whatever document, file, function, heading or npm script a comment or a document names is there. What is checked is
 * what looks like a name of ours: relative links, names that end in `.md`, `.ts` or `.mjs`, paths that begin with a
 * folder of this repository, `NAME` in a file, names in camelCase. Salt's own source is named as `salt/….py`, which
 * says by itself that it is not here; its words in Python have another form than ours.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { test } from 'node:test';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const CODE_FOLDERS = ['src', 'bench', 'test', 'scripts'];
/** The top folders of the repository: a path that begins with one of them is one of ours. */
const OWN_PATH = /(?<![\w./<*-])(?:src|bench|test|scripts|bin|docs)\/[\w./*{},…<>-]*[\w*>]/g;
const FILE_NAME = /(?<![\w./<>*…-])(?:[\w.-]+\/)*[\w-][\w.-]*\.(?:md|ts|mjs)(?:#[\w-]+)?(?![\w/*-]|\.\w)/g;
const NAME_IN_FILE = /`([A-Za-z_$][\w$]*)(?:\(\))?` (?:in|of) `?((?:[\w-]+\/)*[\w-]+\.(?:ts|mjs))`?/g;
const CAMEL_CASE = /`(?:[A-Za-z]\w*\.)?([a-z]+[A-Z]\w*|[A-Z][a-z]\w*[A-Z]\w*)(?:\(\))?`/g;
const LINK = /\]\(([^)\s]+)\)/g;
const NPM_SCRIPT = /npm run ([\w:-]+)/g;
/** What is read elsewhere: recorded traffic, and the files that tests write into folders of their own. */
const IS_FIXTURE = /^test\/fixtures\//;

/** What a build makes: a document may name it and not lead to it. */
const IS_BUILT = /^(?:dist|docs\/man|docs\/completion)(?:\/|$)/;

/** Names of Python, X.509 and OpenSSH that documents and comments use as they are. */
const FOREIGN = new Set(
  'BadZipFile RegexFlag LooseVersion extendedKeyUsage clientAuth serverAuth ProxyCommand erasableSyntaxOnly'.split(
    ' ',
  ),
);
/** Fields of the recordings, which test/fixtures/README.md explains. */
const RECORDINGS = 'test/fixtures/README.md';

/** A comment or a paragraph, and the file it stands in. */
interface Passage {
  readonly file: string;
  readonly text: string;
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const repository = [...CODE_FOLDERS, 'bin', 'docs'].flatMap(filesBelow);
const topDocuments = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
const documents = [...topDocuments, ...repository.filter((file) => file.endsWith('.md'))];
const known = new Set([...repository, ...topDocuments]);
/** Every end of a path, so that `jobs/day-file.ts` is found as well as `day-file.ts`. */
const endings = new Set(
  [...known].flatMap((file) => file.split('/').map((_, index, parts) => parts.slice(index).join('/'))),
);
const code = repository.filter((file) => /\.(?:ts|mjs)$/.test(file) && !IS_FIXTURE.test(file));
const texts = new Map(code.map((file) => [file, read(file)]));

/** The comments of a source file: blocks that begin a line, and lines behind `//`. */
const comments: Passage[] = [...texts].flatMap(([file, text]) =>
  [...text.matchAll(/^[ \t]*\/\*[\s\S]*?\*\/|(?:^|[ \t])\/\/ .*$/gm)].map(([comment]) => ({
    file,
    text: comment.replace(/\n\s*\* ?/g, ' '),
  })),
);

/**
 * Documents without what stands in fences, which shows files of others, and without what docs/internals/known-flaws.md
 * calls missing (its own test looks at that).
 */
const prose: Passage[] = documents.map((file) => ({
  file,
  text: read(file)
    .replace(/^( *)```[\s\S]*?^\1```/gm, '')
    .replace(/not here: `[^|]*/g, ''),
}));
const generated = /^docs\/reference\/(?:modules|runners|states|wheel)\//;
const passages = [...comments, ...prose];

/** A comment that names Salt's source may name what is in it. */
const isOfSalt = (text: string): boolean => /salt\/[\w/]+\.py/.test(text);

/** The words of the code itself. */
function identifiers(): Set<string> {
  const words = new Set<string>();
  for (const text of texts.values())
    for (const [word] of text
      .replace(/^[ \t]*\/\*[\s\S]*?\*\/|(?:^|[ \t])\/\/ .*$/gm, '')
      .matchAll(/[A-Za-z_$][\w$]*/g))
      words.add(word);
  return words;
}

/** The anchors of a document, as GitHub makes them of its headings. */
function anchorsOf(file: string): string[] {
  return [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/**
 * The files that a name may mean: a path of the repository, one beside the file that names it, else every path that
 * ends so.
 */
function resolveFiles(name: string, from: string): string[] {
  const exact = [name, normalize(join(dirname(from), name))].filter((path) => known.has(path));
  return exact.length > 0 ? exact : [...known].filter((path) => path.endsWith(`/${name}`));
}

function isThere(path: string): boolean {
  if (IS_BUILT.test(path)) return true;
  const fixed = path.replace(/[/.]?[*{<…].*$/, '').replace(/\/$/, '');
  return existsSync(join(ROOT, fixed));
}

/** What a guide has its reader write: modules in the folders of a site's file roots, the subject of the recipes. */
const isOfReader = (path: string): boolean =>
  /(?:^|\/)_(?:modules|utils|states|grains)\/|^(?:src\/|\.\/).*\bgreet(?:\/|\.ts$)/.test(path);

function faultOf(name: string, file: string): string | undefined {
  const [path = '', anchor] = name.split('#');
  if (isOfReader(path)) return undefined;
  const beside = normalize(join(dirname(file), path));
  if (!known.has(path) && !known.has(beside) && !endings.has(path)) return `${file}: ${name} does not exist`;
  if (anchor === undefined || !path.endsWith('.md')) return undefined;
  const hasHeading = resolveFiles(path, file).some((target) => anchorsOf(target).includes(anchor));
  return hasHeading ? undefined : `${file}: ${path} has no heading #${anchor}`;
}

test('citations - links between documents lead to files and headings that exist', () => {
  const faults = documents.flatMap((file) =>
    [...read(file).matchAll(LINK)].flatMap(([, target = '']) => {
      if (/^[a-z]+:/.test(target)) return [];
      const [path = '', anchor] = target.split('#');
      const full = path === '' ? file : normalize(join(dirname(file), path)).replace(/\/$/, '');
      if (IS_BUILT.test(full)) return [`${file}: ${target} is not kept in git`];
      if (!existsSync(join(ROOT, full))) return [`${file}: ${target} does not exist`];
      if (anchor === undefined || anchorsOf(full).includes(anchor)) return [];
      return [`${file}: ${full} has no heading #${anchor}`];
    }),
  );
  assert.deepEqual(faults, []);
});

test('citations - files and documents that comments and documents name exist', () => {
  const faults = passages.flatMap(({ file, text }) => {
    const names = [...text.matchAll(FILE_NAME)].map(([name]) => name);
    const paths = [...text.matchAll(OWN_PATH)]
      .map(([path]) => path)
      .filter((path) => !isOfReader(path) && !isThere(path));
    return [
      ...names.flatMap((name) => faultOf(name, file) ?? []),
      ...paths.map((path) => `${file}: ${path} does not exist`),
    ];
  });
  assert.deepEqual([...new Set(faults)], []);
});

test('citations - functions that are named with their file are in it', () => {
  const faults = passages.flatMap(({ file, text }) =>
    [...text.matchAll(NAME_IN_FILE)].flatMap(([, name = '', path = '']) => {
      const targets = resolveFiles(path, file);
      const isFound = targets.some((target) => new RegExp(`\\b${name}\\b`).test(read(target)));
      return isFound ? [] : [`${file}: there is no ${name} in ${path}`];
    }),
  );
  assert.deepEqual(faults, []);
});

test('citations - names in camelCase are names of the code', () => {
  const words = identifiers();
  const faults = passages
    .filter(({ file }) => !generated.test(file) && file !== RECORDINGS)
    .flatMap(({ file, text }) =>
      [...text.matchAll(CAMEL_CASE)].flatMap(([, name = '']) =>
        words.has(name) || FOREIGN.has(name) || isOfSalt(text) ? [] : [`${file}: nothing is called ${name}`],
      ),
    );
  assert.deepEqual([...new Set(faults)], []);
});

test('citations - npm scripts that are named exist', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const named = [...passages, ...documents.map((file) => ({ file, text: read(file) }))].flatMap(
    ({ file, text }) => [...text.matchAll(NPM_SCRIPT)].map(([, name = '']) => ({ file, name })),
  );
  assert.deepEqual(
    named.filter(({ name }) => !Object.hasOwn(scripts, name)),
    [],
  );
});

test('citations - what `@link` leads to is a name of the code', () => {
  const words = identifiers();
  const faults = comments.flatMap(({ file, text }) =>
    [...text.matchAll(/\{@link (\w+)(?:\.(\w+))?\}/g)].flatMap(([link, first = '', second = first]) =>
      words.has(first) && words.has(second) ? [] : [`${file}: ${link}`],
    ),
  );
  assert.deepEqual(faults, []);
});

test('citations - the source of Salt, Jinja and Python is named by its whole path', () => {
  const faults = comments.flatMap(({ file, text }) =>
    [...text.matchAll(/(?<![\w./<*-])(?:[\w.-]+\/)*[\w-]+\.py\b/g)].flatMap(([name]) =>
      /^(?:salt|jinja2|Lib)\//.test(name) || endings.has(name) ? [] : [`${file}: ${name}`],
    ),
  );
  assert.deepEqual([...new Set(faults)], []);
});

test('citations - a comment says the thing itself, and not where else it is said', () => {
  const faults = comments.filter(({ text }) => /[Ss]ee (?:the file's comment|above|below)\b/.test(text));
  assert.deepEqual(
    faults.map(({ file, text }) => `${file}: ${text.trim()}`),
    [],
  );
});
