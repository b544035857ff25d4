/** The SLS files, templates and pillar that the scenarios of states work with. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Files that `file-managed` manages. */
export const FILES = 500;
/** States of `chained`. */
export const CHAIN = 1001;
/** SLS files of the highstate, and states in each. */
export const FORMULAS = 40;
export const FORMULA_STATES = 5;
/** SLS files of pillar. */
export const PILLAR_FILES = 30;

const FILLER = 'setting = value that stands here for the length of it\n'.repeat(20);

/** A template of about 1.2 kB, each with a content of its own. */
export function fileText(at: number): string {
  return `# file ${at} of {{ grains.id }}\n{% for n in range(5) %}\nline {{ n }} of {{ number }}\n{% endfor %}\n${FILLER}`;
}

/** Writes files below a folder; a path may hold folders. */
export function writeTree(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** 500 files with Jinja from the master. @param target folder that they are written to */
export function managedFiles(target: string): Record<string, string> {
  const sls = `{% for at in range(${FILES}) %}
${target}/{{ at }}.conf:
  file.managed:
    - source: salt://many/files/{{ at }}.conf
    - template: jinja
    - makedirs: True
    - context: {number: {{ at }}}
{% endfor %}
`;
  const files = Array.from({ length: FILES }, (_, at) => [`many/files/${at}.conf`, fileText(at)]);
  return { 'many/init.sls': sls, ...Object.fromEntries(files) };
}

/** States of which each requires the one before. */
export function chain(): Record<string, string> {
  const states = Array.from({ length: CHAIN }, (_, at) => {
    const require = at === 0 ? '' : `\n    - require: [{test: link ${at - 1}}]`;
    return `link ${at}:\n  test.nop:\n    - name: link ${at}${require}\n`;
  });
  return { 'chain.sls': states.join('') };
}

/** Formulas as they are usual: a map of defaults by grains, pillar merged into it, includes, requisites. */
export function formulas(target: string): Record<string, string> {
  const names = Array.from({ length: FORMULAS }, (_, at) => `formula${at}`);
  const files = names.flatMap((name, at) => [
    [`${name}/map.jinja`, mapText(name)],
    [`${name}/init.sls`, formulaText(name, at, target)],
    [`${name}/files/main.conf`, fileText(at)],
  ]);
  const top = `base:\n  '*':\n${names.map((name) => `    - ${name}\n`).join('')}`;
  return { 'top.sls': top, ...Object.fromEntries(files) };
}

function mapText(name: string): string {
  return `{% set defaults = salt['grains.filter_by']({
  'Debian': {'package': '${name}', 'mode': '0644', 'options': {'a': 1, 'b': [1, 2, 3]}},
  'RedHat': {'package': '${name}-server', 'mode': '0600', 'options': {'a': 2}},
}, default='Debian') %}
{% set ${name} = salt['pillar.get']('${name}', default=defaults, merge=True) %}
`;
}

function formulaText(name: string, at: number, target: string): string {
  const include = at === 0 ? '' : `include:\n  - formula${at - 1}\n`;
  return `{% from '${name}/map.jinja' import ${name} with context %}
${include}
${name} folder:
  file.directory:
    - name: ${target}/${name}
    - makedirs: True
${name} configuration:
  file.managed:
    - name: ${target}/${name}/main.conf
    - source: salt://${name}/files/main.conf
    - mode: '{{ ${name}.mode }}'
    - template: jinja
    - context: {number: ${at}}
    - require:
      - file: ${name} folder
${name} options:
  file.managed:
    - name: ${target}/${name}/options.conf
    - contents: |
{% for key, value in ${name}.options|dictsort %}
        {{ key }} = {{ value }}
{% endfor %}
    - require:
      - file: ${name} folder
${name} package:
  test.succeed_without_changes:
    - name: {{ ${name}.package }}
    - require_in:
      - file: ${name} configuration
${name} service:
  test.nop:
    - name: {{ ${name}.package }}
    - watch:
      - file: ${name} configuration
`;
}

/** Pillar of 30 files that include one another and look at grains. */
export function pillarTree(): Record<string, string> {
  const names = Array.from({ length: PILLAR_FILES }, (_, at) => `part${at}`);
  const files = names.map((name, at) => [
    `${name}.sls`,
    `{% set role = grains.get('role', 'web') %}
${at % 10 === 9 ? `include:\n  - part${at - 1}\n` : ''}
${name}:
  role: {{ role }}
  users:
{% for n in range(20) %}
    user{{ n }}: {uid: {{ 1000 + n }}, groups: [a, b, {{ role }}], home: /home/user{{ n }}}
{% endfor %}
common:
  list{{ ${at} }}: [1, 2, 3]
`,
  ]);
  const top = `base:\n  '*':\n${names.map((name) => `    - ${name}\n`).join('')}`;
  return { 'top.sls': top, ...Object.fromEntries(files) };
}
