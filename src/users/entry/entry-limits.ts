import { ownService } from '../../access/own-service.ts'
import { HourlyLimit } from './hourly-limit.ts'

/** Limits of guests: accounts and mails per hour. */
export const entryLimits = ownService('the limits of signing up', {
  open: ({ clock }) => ({
    /** Mails with links, to any address. */
    mails: new HourlyLimit(clock, { perAddress: 10, inAll: 2000 }),
    /** Accounts created at once, with a proof of work. */
    proven: new HourlyLimit(clock, { perAddress: 20, inAll: 2000 }),
    /** Accounts created without a proof of work and without mail. */
    unproven: new HourlyLimit(clock, { perAddress: 2, inAll: 10 }),
  }),
})
