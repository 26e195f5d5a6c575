/** Row ids, branded so that ids of different tables cannot be confused. */
type Id<Name extends string> = number & { readonly __id: Name }

export type UserId = Id<'user'>
export type RepoId = Id<'repo'>
export type TeamId = Id<'team'>
export type InvitationId = Id<'invitation'>
export type IssueId = Id<'issue'>
export type CommentId = Id<'comment'>
export type LabelId = Id<'label'>
export type MilestoneId = Id<'milestone'>
export type PullId = Id<'pull'>
export type ReviewId = Id<'review'>
export type ReleaseId = Id<'release'>
export type AttachmentId = Id<'attachment'>
export type SavedViewId = Id<'savedView'>
export type ReactionId = Id<'reaction'>
export type TrackedTimeId = Id<'tracked time'>
export type TokenId = Id<'token'>
export type AuditEntryId = Id<'audit entry'>
export type KeyId = Id<'key'>
export type GpgKeyId = Id<'gpgKey'>
export type SavedReplyId = Id<'savedReply'>
export type DeployKeyId = Id<'deployKey'>
export type SigningKeyId = Id<'signingKey'>
export type SshHostKeyId = Id<'sshHostKey'>
export type TopicId = Id<'topic'>
export type JobId = Id<'job'>
export type EventId = Id<'event'>
export type ThreadId = Id<'thread'>
export type ActId = Id<'act'>
export type ImportId = Id<'import'>
export type PushMirrorId = Id<'pushMirror'>
export type MailId = Id<'mail'>
export type StatusId = Id<'status'>
export type BranchRuleId = Id<'branchRule'>
export type TagRuleId = Id<'tagRule'>
export type SecretId = Id<'secret'>
export type VariableId = Id<'variable'>
export type RunId = Id<'run'>
export type ActionJobId = Id<'action job'>
export type TaskId = Id<'task'>
export type RunnerId = Id<'runner'>
export type RegistrationTokenId = Id<'registration token'>
export type ActionScheduleId = Id<'action schedule'>
export type ArtifactId = Id<'artifact'>
export type PasskeyId = Id<'passkey'>
export type LinkId = Id<'mailedLink'>
export type CacheId = Id<'cache'>
export type SessionId = Id<'session'>
/** An external sign-in source. */
export type SourceId = Id<'sign-in source'>
export type ExternalAccountId = Id<'external account'>
export type LfsBlobId = Id<'lfsBlob'>
export type LfsLockId = Id<'lfsLock'>
export type PackageId = Id<'package'>
export type PackageVersionId = Id<'packageVersion'>
export type PackageFileId = Id<'packageFile'>
export type PackageRuleId = Id<'packageRule'>
export type PackageBlobId = Id<'packageBlob'>
export type HookId = Id<'webhook'>
export type DeliveryId = Id<'webhookDelivery'>
export type AttemptId = Id<'webhookAttempt'>
export type PayloadId = Id<'webhookPayload'>
export type OAuthApplicationId = Id<'oauthApplication'>
export type OAuthGrantId = Id<'oauthGrant'>
export type OAuthCodeId = Id<'oauthCode'>
export type OAuthTokenId = Id<'oauthToken'>
export type OAuthDeviceId = Id<'oauthDevice'>
export type QuotaRuleId = Id<'quotaRule'>
export type QuotaGroupId = Id<'quotaGroup'>
export type ActorKeyId = Id<'actorKey'>
export type ServerId = Id<'federatedServer'>
export type FollowedRepoId = Id<'followedRepo'>
export type ActivityDeliveryId = Id<'activityDelivery'>
export type SentWritingId = Id<'sentWriting'>
export type ReceivedActivityId = Id<'receivedActivity'>

/** The account that workflow jobs act as. */
export const actionsUserId = -2 as UserId

/** A hexadecimal git object id: 40 digits (SHA-1) or 64 (SHA-256). */
export type Oid = string & { readonly __oid: true }

/** The opaque name of one bare repository on disk, made by `newGitKey()` (git/git-key.ts). */
export type GitKey = string & { readonly __gitKey: true }
