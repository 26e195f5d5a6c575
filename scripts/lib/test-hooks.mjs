/**
 * Makes tests faster. The test runner watches each promise of a test, to tell which test an error belongs to that nobody
 * caught. That is 40 times the cost of an `await` and a quarter of a run. Here it watches only other resources, and the
 * reporter gives such an error to the test that runs.
 */
import hooks from 'node:async_hooks'
import module from 'node:module'
import { keepRsaKeys } from './test-keys.mjs'

const { createHook } = hooks
hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false })
keepRsaKeys()

// Set here and not by Node's variable, which the programs that tests start would inherit.
const compiled = process.env.INGOT_TEST_COMPILED ?? ''
if (compiled !== '') module.enableCompileCache(compiled)
