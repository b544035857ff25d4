// Loaded before the tests. Node's test runner follows every promise with an asynchronous hook, only to say to which
// test an error belongs that nobody caught; that is a quarter of the work of tests which await much. Without the hook
// such an error fails the whole file.
const hooks = require('node:async_hooks');
const { createHook } = hooks;

hooks.createHook = (callbacks) => {
  const isOfTestRunner = /node:internal\/test_runner\//.test(new Error().stack ?? '');
  return isOfTestRunner ? createHook({}) : createHook(callbacks);
};
