import { describeScope } from '../../oauth/scope.rules.ts'
import { texts } from './texts.tsx'

/** Buttons that send the person's answer in the field `granted`. */
export const AnswerButtons = () => (
  <>
    <button type="submit" name="granted" value="true">
      {texts.authorize.allow}
    </button>{' '}
    <button type="submit" name="granted" value="false" class="second">
      {texts.authorize.deny}
    </button>
  </>
)

/** Shows the owner of an application, the account it requests, and its scopes in words. */
export const AskedScope = ({
  login,
  ownerName,
  scope,
}: {
  readonly login: string
  /** Login of the application's owner; undefined for an application of the instance. */
  readonly ownerName: string | undefined
  readonly scope: string
}) => (
  <>
    <p>
      {texts.authorize.owner(ownerName)} {texts.authorize.scope(login)}
    </p>
    <ul>
      {describeScope(scope).map((sentence) => (
        <li>{sentence}</li>
      ))}
    </ul>
  </>
)
