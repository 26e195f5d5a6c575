import { describeScope } from '../../oauth/scope.rules.ts'
import { Submit } from '../ui/button.tsx'
import { entryTexts as texts } from '../languages/texts.ts'

/** Buttons that send the person's answer in the field `granted`. */
export const AnswerButtons = () => (
  <>
    <Submit name="granted" value="true" class="whole">
      {texts.authorize.allow}
    </Submit>
    <Submit name="granted" value="false" kind="plain" class="whole">
      {texts.authorize.deny}
    </Submit>
  </>
)

/** Shows the owner of an application, the account it requests, and its scopes in words. */
export const RequestedScope = ({
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
    <ul class="scope-list">
      {describeScope(scope).map((sentence) => (
        <li>{sentence}</li>
      ))}
    </ul>
  </>
)
