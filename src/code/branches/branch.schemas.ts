import { Type, type Static } from 'typebox'
import { nullable, object, requestObject } from '../../http/schema.ts'
import { PayloadCommit } from '../commits/commit.schemas.ts'
import { branchName, requiredBranchName } from './ref-name.schemas.ts'

export const Branch = object('Branch', {
  name: Type.String(),
  commit: nullable(PayloadCommit),
  protected: Type.Boolean(),
  required_approvals: Type.Integer(),
  enable_status_check: Type.Boolean(),
  status_check_contexts: nullable(Type.Array(Type.String())),
  user_can_push: Type.Boolean(),
  user_can_merge: Type.Boolean(),
  effective_branch_protection_name: Type.String(),
})
export type Branch = Static<typeof Branch>

export const CreateBranchRepoOption = requestObject('CreateBranchRepoOption', {
  new_branch_name: requiredBranchName(),
  old_branch_name: Type.Optional(branchName()),
  old_ref_name: Type.Optional(branchName()),
})
export type CreateBranchRepoOption = Static<typeof CreateBranchRepoOption>

export const UpdateBranchRepoOption = requestObject('UpdateBranchRepoOption', {
  name: requiredBranchName(),
})
export type UpdateBranchRepoOption = Static<typeof UpdateBranchRepoOption>
