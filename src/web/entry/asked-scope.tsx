import { describeScope } from '../../oauth/scope.rules.ts'

/** How a person answers an application: the field `granted` says it. */
export const AnswerButtons = () => (
  <>
    <button type="submit" name="granted" value="true">
      Authorize
    </button>{' '}
    <button type="submit" name="granted" value="false" class="second">
      Deny
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
      {ownerName === undefined
        ? 'This application is known to this site.'
        : `This application belongs to ${ownerName}.`}{' '}
      It asks to use your account <strong>{login}</strong>. It could:
    </p>
    <ul>
      {describeScope(scope).map((sentence) => (
        <li>{sentence}</li>
      ))}
    </ul>
  </>
)
