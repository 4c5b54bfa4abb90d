//! What the audit log says was done.

use crate::closed_list;

closed_list! {
    /// What was done, or refused, as a row of the audit log names it.
    pub enum AuditAction, "action of the audit log" {
        /// An access code was made, for a device to exchange.
        AccessCode = "access.code",
        /// An access code was exchanged for a token.
        AccessExchange = "access.exchange",
        /// A login failed.
        AccessRefused = "access.refused",
        /// A token was made.
        TokenCreate = "token.create",
        /// A token was revoked.
        TokenRevoke = "token.revoke",
        /// A task was made.
        TaskCreate = "task.create",
        /// A task was changed.
        TaskEdit = "task.edit",
        /// A label was made.
        LabelCreate = "label.create",
        /// A category was made.
        CategoryCreate = "category.create",
        /// A setting of the workspace was changed.
        SettingSet = "setting.set",
        /// How a line of an import is read was corrected.
        ImportCorrect = "import.correct",
        /// An agent was made.
        AgentCreate = "agent.create",
        /// The settings of an agent were changed.
        AgentConfigure = "agent.configure",
        /// An agent was paused.
        AgentPause = "agent.pause",
        /// A paused agent goes on.
        AgentResume = "agent.resume",
        /// An agent was destroyed.
        AgentDestroy = "agent.destroy",
        /// A wake of an agent was requested.
        AgentWake = "agent.wake",
        /// A wake of an agent was planned for a time.
        AgentWakeAt = "agent.wakeAt",
        /// The planned wakes of an agent were cancelled.
        AgentCancel = "agent.cancel",
        /// A run of an agent was cancelled.
        AgentCancelRun = "agent.cancelRun",
        /// Something was removed from an agent's memory.
        AgentForget = "agent.forget",
        /// A proposal was confirmed.
        ChangeConfirm = "change.confirm",
        /// A proposal was rejected.
        ChangeReject = "change.reject",
        /// A proposal was left for later.
        ChangeDefer = "change.defer",
        /// An open proposal was retracted, because its agent took it back or was destroyed.
        ChangeRetract = "change.retract",
        /// An open proposal expired.
        ChangeExpire = "change.expire",
        /// A verdict was undone.
        ChangeUndo = "change.undo",
        /// A confirmed proposal whose effect was lost is open again.
        ChangeReopen = "change.reopen",
        /// Something that needs the person was acknowledged.
        AttentionAcknowledge = "attention.acknowledge",
        /// An acknowledgement was undone.
        AttentionTakeBack = "attention.takeBack",
        /// What a run came to was shown to the person.
        DeliveryDelivered = "delivery.delivered",
        /// The person saw what a run came to.
        DeliveryRead = "delivery.read",
        /// The policy of what may be sent refused a request or a call.
        PolicyDenied = "policyDenied",
        /// A model was chosen for the agents.
        ModelsUse = "models.use",
        /// A model was added to those that are known.
        ModelsKnow = "models.know",
        /// Calls that cost money were allowed.
        ModelsOn = "models.on",
        /// Calls that cost money were switched off.
        ModelsOff = "models.off",
        /// Budgets were changed.
        ModelsBudgets = "models.budgets",
        /// What a provider may not be sent was changed.
        ModelsCategories = "models.categories",
        /// A budget was allowed once more for a day.
        ModelsOnceMore = "models.onceMore",
        /// The price of a model was changed.
        ModelsPrice = "models.price",
        /// A provider was added or changed.
        ModelsProvider = "models.provider",
        /// A provider was removed.
        ModelsRemove = "models.remove",
        /// The key of a provider was changed.
        ModelsKey = "models.key",
        /// The model that summarises was chosen.
        ModelsSummarise = "models.summarise",
        /// A model was tried with a call.
        ModelsTest = "models.test",
        /// A model was tried before its first use by a run.
        ModelsProbe = "models.probe",
        /// How a model calls tools was forgotten, because its server refused that.
        ModelsForget = "models.forget",
        /// A model was taken off the list.
        ModelsUnlist = "models.unlist",
        /// The window of a model was changed.
        ModelsWindow = "models.window",
        /// Agent work was made.
        WorkCreate = "work.create",
        /// Agent work was changed.
        WorkEdit = "work.edit",
        /// Agent work was paused.
        WorkPause = "work.pause",
        /// Paused agent work goes on.
        WorkResume = "work.resume",
        /// An occurrence of agent work is skipped.
        WorkSkip = "work.skip",
        /// An occurrence of agent work was moved to another time.
        WorkMove = "work.move",
        /// An occurrence of agent work is due as its schedule says.
        WorkRestore = "work.restore",
        /// Nothing of the schedule of agent work is due until a time.
        WorkSuspend = "work.suspend",
        /// Agent work was archived.
        WorkArchive = "work.archive",
        /// Agent work was deleted.
        WorkDelete = "work.delete",
        /// Agent work was held, because the data was restored from a copy.
        WorkHold = "work.hold",
        /// A run of agent work was started.
        WorkRun = "work.run",
        /// A run of agent work was cancelled.
        WorkCancel = "work.cancel",
        /// The result of a run was approved.
        WorkApprove = "work.approve",
        /// The result of a run was declined.
        WorkDecline = "work.decline",
        /// A failed run was started again.
        WorkRetry = "work.retry",
        /// The result of a run was corrected.
        WorkCorrect = "work.correct",
        /// A question of a run was answered.
        WorkAnswer = "work.answer",
        /// A hook was added to agent work.
        WorkHookAdd = "work.hookAdd",
        /// The secret of a hook was replaced.
        WorkHookRotate = "work.hookRotate",
        /// A hook was removed.
        WorkHookRemove = "work.hookRemove",
        /// A conversation was begun.
        ConversationBegin = "conversation.begin",
        /// Something was said in a conversation.
        ConversationTurn = "conversation.turn",
        /// A conversation was deleted.
        ConversationDelete = "conversation.delete",
        /// A template was made.
        TemplateCreate = "template.create",
        /// A template got a new version, or another name, or became the default of other categories.
        TemplateEdit = "template.edit",
        /// Another version of a template became the active one.
        TemplateActivate = "template.activate",
        /// A template got a new version with the texts of an older one.
        TemplateRollback = "template.rollback",
        /// What a tool may do in the hands of a version of a template was changed.
        TemplatePolicy = "template.policy",
        /// A rule about what agents propose was made.
        RuleAdd = "rule.add",
        /// A rule about what agents propose was removed.
        RuleRemove = "rule.remove",
        /// A template was copied.
        TemplateDuplicate = "template.duplicate",
        /// A template was archived, or is offered again.
        TemplateArchive = "template.archive",
        /// A template was deleted.
        TemplateDelete = "template.delete",
        /// A session about a template was begun.
        EvolutionStart = "evolution.start",
        /// The person said something in a session about a template.
        EvolutionSay = "evolution.say",
        /// Proposed directives became the active version of a template.
        EvolutionApprove = "evolution.approve",
        /// Proposed directives were turned down.
        EvolutionReject = "evolution.reject",
        /// A session about a template was ended without a new version.
        EvolutionAbandon = "evolution.abandon",
    }
}
