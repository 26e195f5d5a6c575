import type { ComponentChildren } from 'preact'
import type { NewPasskeyRequest, PasskeyRequest } from '../../auth/passkey.service.ts'
import { CardForm } from './card-page.tsx'
import { shellTexts } from '../languages/texts.ts'

const texts = shellTexts.passkey

/** Script of pages with this form. */
export const passkeyScript = '/assets/passkey.js'

/** A form that requests a passkey. Browsers without scripts do not show it. */
export const PasskeyForm = ({
  to,
  passkeyRequest,
  label,
  hidden = {},
  remembers = false,
  isSecond = false,
  children,
}: {
  readonly to: string
  readonly passkeyRequest: PasskeyRequest | NewPasskeyRequest
  readonly label: string
  readonly hidden?: Readonly<Record<string, string | undefined>>
  /** Whether to copy the “stay signed in” choice of the page's other form. */
  readonly remembers?: boolean
  /** Whether another way to do the same is above it. */
  readonly isSecond?: boolean
  /** Further hidden fields. */
  readonly children?: ComponentChildren
}) => (
  <CardForm
    to={to}
    hidden={{ ...hidden, challenge: passkeyRequest.challenge, response: '' }}
    data-passkey={'rpName' in passkeyRequest ? 'create' : 'get'}
    data-request={JSON.stringify(passkeyRequest)}
  >
    {children}
    {remembers ? <input type="hidden" name="remember" value="on" disabled /> : null}
    {isSecond ? (
      <p class="or" hidden data-with-passkeys>
        {texts.or}
      </p>
    ) : null}
    <button type="button" class={`button ${isSecond ? 'plain' : 'primary'} whole`} hidden data-with-passkeys>
      {label}
    </button>
    <p class="wrong" role="alert" hidden data-failed={texts.failed} data-known={texts.alreadyAdded} />
  </CardForm>
)
