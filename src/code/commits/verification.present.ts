import type { PayloadCommitVerification } from './commit.schemas.ts'
import type { Signed, Verification } from '../../refs/signing/verification.ts'

/** Presents the verification of a commit or tag. */
export function presentVerification(signed: Signed, verdict: Verification): PayloadCommitVerification {
  if (verdict.kind === 'unsigned') {
    return { verified: false, reason: 'gpg.error.not_signed_commit', signature: '', signer: null, payload: '' }
  }
  return {
    verified: verdict.isGood,
    reason: verdict.reason,
    signature: signed.signature ?? '',
    signer: verdict.signer ?? null,
    payload: signed.signedPayload?.toString('utf8') ?? '',
  }
}
