import type { Services } from '../access/context.ts'
import { GiveUp } from '../jobs/job.ts'
import { MailError, type Mail } from './mailer.ts'

/** Sends a mail; a permanent refusal ends the job without a retry. */
export async function sendOrGiveUp(services: Pick<Services, 'mailer'>, mail: Mail): Promise<void> {
  try {
    await services.mailer.sendMail(mail)
  } catch (error) {
    if (error instanceof MailError && error.isPermanent) throw new GiveUp(error.message)
    throw error
  }
}
