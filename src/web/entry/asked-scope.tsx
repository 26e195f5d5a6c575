import { describeScope } from '../../oauth/scope.rules.ts'
import { texts } from './texts.tsx'

/** How a person answers an application: the field `granted` says it. */
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

/** What an application asks of a person: whose it is, which account it is about, and what it could do, in words. */
export const AskedScope = ({
  login,
  ownerName,
  scope,
}: {
  readonly login: string
  /** Login of whose application it is; undefined for one of the instance. */
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
