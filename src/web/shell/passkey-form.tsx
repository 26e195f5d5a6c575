import type { NewPasskeyRequest, PasskeyRequest } from '../../auth/passkey.service.ts'
import type { BrowserCtx } from './browser-context.ts'
import { Form, type Problem } from './plain-form.tsx'
import { texts } from './plain-texts.tsx'

/** Script of pages with this form. */
export const passkeyScript = 'assets/passkey.js'

/** A form that requests a passkey. Browsers without scripts do not show it. */
export const PasskeyForm = ({
  ctx,
  to,
  asked,
  label,
  hidden = {},
  problem,
  remembers = false,
  isSecond = false,
}: {
  readonly ctx: Pick<BrowserCtx, 'config' | 'csrf'>
  readonly to: string
  readonly asked: PasskeyRequest | NewPasskeyRequest
  readonly label: string
  readonly hidden?: Readonly<Record<string, string | undefined>>
  readonly problem?: Problem | undefined
  /** Whether to copy the “stay signed in” choice of the page's other form. */
  readonly remembers?: boolean
  /** Whether another way to do the same is above it. */
  readonly isSecond?: boolean
}) => (
  <Form
    ctx={ctx}
    to={to}
    problem={problem}
    hidden={{ ...hidden, challenge: asked.challenge, response: '' }}
    data-passkey={'rpName' in asked ? 'create' : 'get'}
    data-asked={JSON.stringify(asked)}
  >
    {remembers ? <input type="hidden" name="remember" value="on" disabled /> : null}
    {isSecond ? (
      <p class="or" hidden data-with-passkeys>
        {texts.passkey.or}
      </p>
    ) : null}
    <button type="button" class={isSecond ? 'second' : undefined} hidden data-with-passkeys>
      {label}
    </button>
    <p class="wrong" role="alert" hidden data-failed={texts.passkey.failed} data-known={texts.passkey.alreadyAdded} />
  </Form>
)
