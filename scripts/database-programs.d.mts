/** A database server that tests start. */
export type DatabaseServerName = 'mariadb' | 'postgres' | 'redis' | 'etcd' | 'nats';

/** Each server's Debian package, and the programs that the tests need of it. */
export const DATABASE_SERVERS: Readonly<
  Record<DatabaseServerName, { readonly package: string; readonly programs: readonly string[] }>
>;

/** The path of a program; undefined when it is not installed. */
export function findProgram(name: string): string | undefined;

/** The names of those servers that are not installed. */
export function missingServers(names?: readonly string[]): DatabaseServerName[];

/** How to install servers. */
export function installCommand(names: readonly string[]): string;
