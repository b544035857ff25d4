// Where the database servers of the tests are: the programs of Debian's packages, on the path or where the packages put
// them.
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Each server's Debian package, and the programs that the tests need of it. */
export const DATABASE_SERVERS = {
  mariadb: { package: 'mariadb-server', programs: ['mariadbd', 'mariadb-install-db'] },
  postgres: { package: 'postgresql', programs: ['postgres', 'initdb'] },
  redis: { package: 'redis-server', programs: ['redis-server'] },
  etcd: { package: 'etcd-server', programs: ['etcd'] },
  nats: { package: 'nats-server', programs: ['nats-server'] },
  git: { package: 'git', programs: ['git'] },
  hg: { package: 'mercurial', programs: ['hg'] },
  svn: { package: 'subversion', programs: ['svn', 'svnadmin'] },
  gpg: { package: 'gnupg', programs: ['gpg', 'gpg-agent', 'gpgconf'] },
  slapd: { package: 'slapd', programs: ['slapd', 'slapadd'] },
  augtool: { package: 'augeas-tools', programs: ['augtool'] },
  rsync: { package: 'rsync', programs: ['rsync'] },
};

/** The folders where programs are looked for; the newest PostgreSQL first. */
function folders() {
  const base = '/usr/lib/postgresql';
  const versions = existsSync(base) ? readdirSync(base).sort((a, b) => Number(b) - Number(a)) : [];
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return [
    ...versions.map((version) => join(base, version, 'bin')),
    ...path,
    '/usr/sbin',
    '/usr/local/sbin',
    '/usr/bin',
  ];
}

/** The path of a program; undefined when it is not installed. */
export function findProgram(name) {
  return folders()
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** The names of those servers that are not installed. */
export function missingServers(names = Object.keys(DATABASE_SERVERS)) {
  return names.filter((name) =>
    DATABASE_SERVERS[name].programs.some((program) => findProgram(program) === undefined),
  );
}

/** How to install servers. */
export function installCommand(names) {
  return `apt-get install ${names.map((name) => DATABASE_SERVERS[name].package).join(' ')}`;
}
