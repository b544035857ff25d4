/** Files of this machine and the sources of their content, as the functions of `file` tell of them. */
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { answered, readDict, readFilled, readFlag } from '../../runtime/loader/answered.ts';

const listOf = (answer: Value): readonly Value[] => (Array.isArray(answer) ? answer : []);

/** `file.file_exists`: whether there is a file, which may be behind a link. */
export const fileExists = answered('file.file_exists', readFlag);

/** `file.directory_exists`: whether there is a folder, which may be behind a link. */
export const folderExists = answered('file.directory_exists', readFlag);

/** `file.stats`: owner, mode, times; undefined where nothing is told. */
export const fileStats = answered('file.stats', readFilled);

/** `file.source_list`: the first source that there is, and the hash it is to have; null for what there is not. */
export const firstSource = answered('file.source_list', (answer) => {
  const [source = null, sourceHash = null] = listOf(answer);
  return { source, sourceHash };
});

/** `file.get_source_sum`: `hash_type` and `hsum`. */
export const sumOfSource = answered('file.get_source_sum', readDict);

/** `file.get_managed`: the place of the content, '' where it is not here yet, its sum, and what is wrong, else ''. */
export const managedContent = answered('file.get_managed', (answer) => {
  const [sfn = '', sum = null, problem = ''] = listOf(answer);
  return { sfn, sum, problem };
});

/** `file.check_perms`: the return of the state, undefined when there is none, and what was found. */
export const checkedPermissions = answered('file.check_perms', (answer) => {
  const [ret, found] = listOf(answer);
  const asDict = (value: Value | undefined): Dict | undefined => (isDict(value) ? value : undefined);
  return { ret: asDict(ret), found: asDict(found) };
});
