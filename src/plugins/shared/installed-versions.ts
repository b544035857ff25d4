/** Packages of this machine as other functions ask for them, whichever package manager it has. */
import { answered, readDict, readText } from '../../runtime/loader/answered.ts';

/** `pkg.version` of one package; undefined when it is not installed. */
export const installedVersion = answered('pkg.version', readText);

/** `pkg.list_pkgs`: versions by name. */
export const installedVersions = answered('pkg.list_pkgs', readDict);
