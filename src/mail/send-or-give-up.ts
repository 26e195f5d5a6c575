import type { Services } from '../access/context.ts'
import { GiveUp } from '../jobs/job.ts'
import { MailError, type Mail } from './mailer.ts'

/** A mail that the server will never take is not tried again. */
export async function sendOrGiveUp(services: Pick<Services, 'mailer'>, mail: Mail): Promise<void> {
  try {
    await services.mailer.sendMail(mail)
  } catch (error) {
    if (error instanceof MailError && error.isPermanent) throw new GiveUp(error.message)
    throw error
  }
}
