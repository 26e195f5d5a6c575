import { canUsePasskeys, passkeysOf } from '../../auth/passkey.service.ts'
import { hasCodes, hasTwoFactor } from '../../auth/two-factor.service.ts'
import type { PasskeyRow, UserRow } from '../../db/tables/accounts.ts'
import { empty } from '../../http/reply.ts'
import { nowUnix } from '../../lib/time.ts'
import type { BrowserCtx } from '../shell/browser-context.ts'
import { PasswordField } from './confirm-password.tsx'
import { cookie, onceCookie, readCookies } from '../shell/cookies.ts'
import { Field, Form, type Problem } from '../shell/plain-form.tsx'
import { Moment } from '../shell/moment.tsx'
import { secretPage, sitePath } from '../shell/plain-page.tsx'
import { SettingsPage, type PersonCtx } from './settings-page.tsx'
import { texts } from './texts.tsx'

/** Purpose of the sealed cookie whose content the next page shows once. */
const oncePurpose = 'shown-once'
const onceSeconds = 300

/** Redirects to the page, which shows the scratch code once. */
export function showOnce(ctx: BrowserCtx, user: UserRow, scratch: string) {
  const value = ctx.secrets.seal(oncePurpose, JSON.stringify([user.id, nowUnix(ctx.clock) + onceSeconds, scratch]))
  return empty(303, {
    location: sitePath(ctx.config, 'user/settings/security'),
    'set-cookie': cookie(ctx.config, onceCookie(ctx.config), value, onceSeconds),
  })
}

function shownOnce(ctx: BrowserCtx, user: UserRow, header: string | string[] | undefined): string | undefined {
  const value = readCookies(header).get(onceCookie(ctx.config))
  if (value === undefined) return undefined
  try {
    const [userId, until, scratch] = JSON.parse(ctx.secrets.open(oncePurpose, value)) as [number, number, string]
    return userId === user.id && until > nowUnix(ctx.clock) ? scratch : undefined
  } catch {
    // A cookie that was not sealed here.
    return undefined
  }
}

/** The refused form of the page with its values. */
interface Wrong {
  readonly form: 'scratch' | 'disable' | 'add' | 'remove'
  readonly problem: Problem
  readonly name?: string
}

type ProblemIn = (form: Wrong['form']) => Problem | undefined

const Codes = ({ ctx, isOn, problemIn }: { ctx: PersonCtx; isOn: boolean; problemIn: ProblemIn }) => (
  <section class="sheet" aria-labelledby="codes">
    <h2 id="codes">{texts.security.app}</h2>
    {isOn ? (
      <>
        <p>{texts.security.appOn}</p>
        <Form ctx={ctx} to="user/settings/security/two_factor/disable" problem={problemIn('disable')}>
          <PasswordField id="disable_password" user={ctx.viewer.user} />
          <button type="submit" class="second">
            {texts.security.turnOff}
          </button>
        </Form>
      </>
    ) : (
      <p>
        {texts.security.appOff}{' '}
        <a href={sitePath(ctx.config, 'user/settings/security/two_factor/enroll')}>{texts.security.setUp}</a>
      </p>
    )}
  </section>
)

const Passkey = ({ passkey }: { readonly passkey: PasskeyRow }) => (
  <li>
    <div>
      <p>
        <strong>{passkey.name}</strong>
      </p>
      <p class="quiet">
        {texts.added(<Moment unix={passkey.created_unix} />)}
        {passkey.used_unix > 0 ? <> · {texts.lastUsed(<Moment unix={passkey.used_unix} />)}</> : null}
      </p>
    </div>
  </li>
)

const Passkeys = ({
  ctx,
  passkeys,
  wrong,
  problemIn,
}: {
  readonly ctx: PersonCtx
  readonly passkeys: readonly PasskeyRow[]
  readonly wrong: Wrong | undefined
  readonly problemIn: ProblemIn
}) => (
  <>
    <section class="sheet" aria-labelledby="passkeys">
      <h2 id="passkeys">{texts.passkeys.heading}</h2>
      <p>{texts.passkeys.hint}</p>
      <ul class="list">
        {passkeys.map((passkey) => (
          <Passkey passkey={passkey} />
        ))}
      </ul>
      <Form ctx={ctx} to="user/settings/security/passkeys" problem={problemIn('add')}>
        <Field
          id="passkey_name"
          name="name"
          label={texts.passkeys.newName}
          hint={texts.passkeys.newNameHint}
          value={wrong?.form === 'add' ? (wrong.name ?? '') : ''}
          maxlength={100}
        />
        <PasswordField id="add_password" user={ctx.viewer.user} />
        <button type="submit">{texts.passkeys.add}</button>
      </Form>
    </section>
    {passkeys.length === 0 ? null : (
      <section class="sheet" aria-labelledby="remove">
        <h2 id="remove">{texts.passkeys.removeHeading}</h2>
        <Form ctx={ctx} to="user/settings/security/passkeys/remove" problem={problemIn('remove')}>
          <fieldset>
            <legend>{texts.passkeys.toRemove}</legend>
            {passkeys.map(({ id, name }, index) => (
              <label class="choice">
                <input type="radio" name="id" value={id} checked={index === 0} /> {name}
              </label>
            ))}
          </fieldset>
          <PasswordField id="remove_password" user={ctx.viewer.user} />
          <button type="submit" class="second">
            {texts.remove}
          </button>
        </Form>
      </section>
    )}
  </>
)

const Scratch = ({ ctx, problemIn }: { readonly ctx: PersonCtx; readonly problemIn: ProblemIn }) => (
  <section class="sheet" aria-labelledby="scratch">
    <h2 id="scratch">{texts.security.scratch}</h2>
    <p>{texts.security.scratchHint}</p>
    <Form ctx={ctx} to="user/settings/security/two_factor/regenerate_scratch" problem={problemIn('scratch')}>
      <PasswordField id="scratch_password" user={ctx.viewer.user} />
      <button type="submit" class="second">
        {texts.security.newScratch}
      </button>
    </Form>
  </section>
)

/**
 * Shows codes, passkeys and the scratch code of the account.
 * @param told.cookies cookies of the request, when a scratch code may be shown
 */
export async function securityPage(
  ctx: PersonCtx,
  told: { readonly wrong?: Wrong; readonly cookies?: string | string[] | undefined },
) {
  const { config, viewer } = ctx
  const { wrong } = told
  const scratch = shownOnce(ctx, viewer.user, told.cookies)
  const [isEnrolled, isCoded, passkeys] = await Promise.all([
    hasTwoFactor(ctx, viewer.id),
    hasCodes(ctx, viewer.id),
    passkeysOf(ctx, viewer.id),
  ])
  const problemIn: ProblemIn = (form) => (wrong?.form === form ? wrong.problem : undefined)
  const content = (
    <SettingsPage ctx={ctx} current="security" title={texts.parts.security}>
      {scratch === undefined ? null : (
        <div class="done" role="status">
          {texts.security.scratchOnce(scratch)}
        </div>
      )}
      <Codes ctx={ctx} isOn={isCoded} problemIn={problemIn} />
      {canUsePasskeys(config) ? <Passkeys ctx={ctx} passkeys={passkeys} wrong={wrong} problemIn={problemIn} /> : null}
      {isEnrolled ? <Scratch ctx={ctx} problemIn={problemIn} /> : null}
    </SettingsPage>
  )
  const headers: Record<string, string> =
    scratch === undefined ? {} : { 'set-cookie': cookie(config, onceCookie(config), '') }
  return secretPage(config, { title: texts.titleOf(texts.parts.security), problem: wrong?.problem, content }, headers)
}
