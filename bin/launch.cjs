// Runs a program from dist/ with its V8 code cache, which saves a third of its start-up time. Without a usable cache (another
// version of Node, a read-only folder when it was built) the program runs all the same.
'use strict';
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { createRequire, wrap } = require('node:module');
const { dirname, join } = require('node:path');
const { Script } = require('node:vm');

module.exports = function launch(name) {
  const file = join(__dirname, '..', 'dist', `${name}.cjs`);
  if (!existsSync(file)) {
    process.stderr.write(
      `${name} has not been built: ${file} is missing. Run "npm ci" or "npm run build" in ${dirname(__dirname)}.\n`,
    );
    process.exit(70);
  }
  // the bundler writes ASCII only, which is read faster as bytes
  const cacheFile = `${file}.cache`;
  const script = new Script(wrap(readFileSync(file, 'latin1')), {
    filename: file,
    cachedData: readIfThere(cacheFile),
  });
  if (process.env.BRINE_WRITE_CODE_CACHE === '1') {
    process.on('exit', () => writeFileSync(cacheFile, script.createCachedData()));
  }
  const module_ = { exports: {} };
  script
    .runInThisContext()
    .call(module_.exports, module_.exports, createRequire(file), module_, file, dirname(file));
};

function readIfThere(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
