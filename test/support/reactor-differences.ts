/** Where our reactor does otherwise than Salt's in the recorded cases, and why. */
export const REACTOR_DIFFERENCES: ReadonlyMap<string, string> = new Map([
  ['local, one string as arg', 'Salt makes an argument of each letter.'],
  [
    'local, kwarg as a list',
    'Salt leaves the keywords out without a word; a list of mappings is taken as in args.',
  ],
  ['local, a nodegroup', 'The master that publishes looks the nodegroup up.'],
  ['local, a nodegroup in a compound target', 'The master that publishes looks the nodegroup up.'],
  [
    'local, expr_form of old',
    'Salt has forgotten the old name and takes the target for a glob, which no minion matches.',
  ],
  ['runner, old style, parameters beside the keys', 'state.orchestrate has one parameter more here, resume.'],
  ['an unknown form', "Salt's reactor dies of it; here the other reactions run."],
  ['files of the file server', 'Salt names no file when salt:// is not found.'],
  ['entries of the option that are none', 'Salt passes over them without a word.'],
  ['an id that is a number', 'The sentence ends with a full stop, as it does in state runs.'],
  ['a renderer that does not exist', 'Salt renders the file to nothing without a word of the reactor.'],
]);
