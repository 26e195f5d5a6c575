import { pageErrors } from '../../http/error-forms.ts'
import { operation } from '../../http/operation.ts'
import { NotFound } from '../../lib/errors.ts'
import { inBrowser } from './browser.requirements.ts'
import { unknownPath } from './send-page.tsx'

/**
 * Answers browsers at addresses that no operation has (`ServerOptions.unknownPath`). As an operation it knows the person
 * who asks, whose navigation the page shows.
 */
export const unknownAddress = operation({
  method: 'GET',
  path: unknownPath,
  cost: 'usual',
  base: 'site',
  scope: null,
  accepts: ['session'],
  errors: pageErrors,
  requires: [inBrowser],
  reply: {},
  run(): Promise<never> {
    throw new NotFound('there is nothing at this address', 'no_such_route')
  },
})
