// The packages: what each holds, needs and starts. How one is written is in deb.mjs and rpm.mjs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../bundle.mjs';
import { runProgram } from '../run-program.mjs';
import { hardenedMinion, unitOf } from './units.mjs';

/** Settings of glibc's allocator that daemons start with: those of src/host/allocator.ts. */
const ALLOCATOR =
  'MALLOC_ARENA_MAX=${MALLOC_ARENA_MAX-1} MALLOC_TRIM_THRESHOLD_=${MALLOC_TRIM_THRESHOLD_-131072} ';
/** What Node needs, by the names that both Fedora and openSUSE have for it. */
const SONAMES = [
  'libc.so.6(GLIBC_2.28)(64bit)',
  'libgcc_s.so.1(GCC_4.2.0)(64bit)',
  'libstdc++.so.6(GLIBCXX_3.4.21)(64bit)',
];
const COMMANDS = ['salt', 'salt-cp', 'salt-key', 'salt-run', 'brine-sls', 'sls'];
const DAEMONS = ['salt-master', 'salt-minion', 'salt-syndic', 'salt-api'];
const HOMEPAGE = 'https://www.npmjs.com/package/@brine-project/brine';

/**
 * @param payload version, architecture and folder of what they share
 * @returns packages, each with `files` (where to, and the `text` or the file or folder `from`), `conffiles`, the `unit`
 *   that it starts, and what else stands in a package's own description
 */
export function packagesOf(payload) {
  const library = `/usr/lib/brine/${payload.version}`;
  // an upgrade, by a package or by the minion itself, exchanges the link; between two steps of dpkg it leads nowhere
  const current = `b=/usr/lib/brine/current; [ -e $b/bin/launch.cjs ] || b=${library}`;
  const program = (name, isDaemon = false) => ({
    to: `/usr/bin/${name}`,
    mode: 0o755,
    text: `#!/bin/sh\n${current}\n${isDaemon ? ALLOCATOR : ''}exec $b/node/bin/node $b/bin/${name} "$@"\n`,
  });
  const shared = { version: payload.version, arch: payload.arch, homepage: HOMEPAGE, library };
  return [
    { ...shared, ...common(payload, library, program) },
    { ...shared, ...cli(program) },
    {
      ...shared,
      ...daemon('master', program, ['cli'], { account: 'salt', config: defaultConfig('master') }),
      runsAs: 'salt',
    },
    { ...shared, ...minion(program) },
    { ...shared, ...daemon('syndic', program, ['master']), runsAs: 'salt' },
    { ...shared, ...daemon('api', program, ['master']), runsAs: 'salt' },
  ];
}

/**
 * What `brine takeover` starts and links to on a machine whose Salt stays installed: an upgrade leaves these paths where
 * they are, and they are none of Salt's.
 */
function common({ folder }, library, program) {
  const starter = (name, isDaemon) => ({ ...program(name, isDaemon), to: `/usr/libexec/brine/${name}` });
  return {
    name: 'brine-common',
    summary: 'Remote execution and configuration management: what its programs share',
    text: "Node, the programs and the libraries, in a folder of their version, so that neither the system's Node nor an upgrade touches what runs.",
    needs: ['libc6 (>= 2.28)', 'libgcc-s1', 'libstdc++6 (>= 8)'],
    recommends: ['python3'],
    rpm: { needs: SONAMES, license: 'Apache-2.0 AND MIT' },
    files: [
      { to: library, from: folder },
      program('brine'),
      manual('brine'),
      ...DAEMONS.map((name) => starter(name, true)),
      ...[...COMMANDS, 'salt-call'].map((name) => starter(name)),
    ],
    caches: true,
    overrides: [
      [
        'embedded-javascript-library *',
        'a library of the system may be another version than what was tested',
      ],
      ['embedded-library *', 'Node has its libraries inside, as its makers release it'],
      ['hardening-no-pie *', 'Node as its makers release it'],
    ],
  };
}

function cli(program) {
  const completion = (to, file) => ({ to, from: join(root, 'docs/completion', file) });
  return {
    name: 'brine-cli',
    summary: 'Remote execution and configuration management: the commands of a master',
    text: 'salt, salt-cp, salt-key, salt-run, and sls, which checks states without a master.',
    needsOwn: ['common'],
    conflicts: ['salt-common', 'salt-master'],
    rpm: { conflicts: ['salt', 'salt-master'] },
    files: [
      ...COMMANDS.flatMap((name) => [program(name), manual(name)]),
      completion('/usr/share/bash-completion/completions/salt', 'salt.bash'),
      {
        ...completion('/usr/share/zsh/vendor-completions/_salt', '_salt'),
        rpm: { to: '/usr/share/zsh/site-functions/_salt' },
      },
      completion('/usr/share/fish/vendor_completions.d/salt.fish', 'salt.fish'),
    ],
  };
}

function daemon(role, program, needsOwn, { account, config, further = [] } = {}) {
  const name = `salt-${role}`;
  const conffile = config === undefined ? [] : [configOf(role, config, account)];
  return {
    name: `brine-${role}`,
    summary: `Remote execution and configuration management: the ${role}`,
    text: `The daemon ${name}, which speaks the protocol of Salt and reads its configuration.`,
    needsOwn: ['common', ...needsOwn],
    // of which one brings salt-call, and a daemon without its programs is none
    conflicts: ['salt-common', name],
    rpm: { conflicts: ['salt', name] },
    role,
    unit: `${name}.service`,
    account,
    files: [
      program(name, true),
      manual(name),
      { to: `/usr/lib/systemd/system/${name}.service`, text: unitOf(role) },
      { to: `/etc/logrotate.d/brine-${role}`, text: rotation(role) },
      ...conffile,
      ...further,
    ],
    overrides: [
      ...conffile.map(({ to }) => [
        `non-standard-file-perm 0640 != 0644 [${to.slice(1)}]`,
        'it may name passwords',
      ]),
      ...(account === undefined
        ? []
        : [
            [
              'recursive-privilege-change *',
              'of folders of root alone, into which no other account could write',
            ],
          ]),
    ],
    conffiles: [`/etc/logrotate.d/brine-${role}`, ...conffile.map(({ to }) => to)],
  };
}

/** Passwords may stand in it. A syndic of the same machine reads the minion's, whose group its package sets. */
function configOf(role, text, account) {
  const rpm = account === undefined ? { isOfAnyGroup: true } : { group: account };
  return { to: `/etc/salt/${role}`, mode: 0o640, text, rpm };
}

function minion(program) {
  const further = [
    program('salt-call'),
    manual('salt-call'),
    { to: '/usr/share/doc/brine-minion/examples/hardened.conf', text: hardenedMinion() },
  ];
  return daemon('minion', program, [], { config: defaultConfig('minion'), further });
}

function manual(name) {
  return { to: `/usr/share/man/man1/${name}.1.gz`, gzip: readFileSync(join(root, `docs/man/${name}.1`)) };
}

/** The daemons write to the file that has the name, and find a new one by themselves. */
function rotation(role) {
  const files = role === 'master' ? ['master', 'key'] : [role];
  const paths = files.map((file) => `/var/log/salt/${file}`).join(' ');
  return `${paths} {\n\tweekly\n\tmissingok\n\trotate 7\n\tcompress\n\tnotifempty\n}\n`;
}

function defaultConfig(role) {
  const args = [join(root, 'scripts/run-ts.mjs'), join(root, 'scripts/package/default-config.ts'), role];
  return runProgram(process.execPath, args, { cwd: root });
}
