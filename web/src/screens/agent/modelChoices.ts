// The choices of an agent's model.

import { t } from "../../i18n/index.svelte";
import type { ModelsView } from "../settings/models/data";
import { BUILT_IN, modelName, priceWords, workWords } from "../settings/models/rules";

/** The choice of having no model of one's own. No model has this id. */
export const WORKSPACE_MODEL = "";

export interface ModelChoice {
  value: string;
  label: string;
  disabled: boolean;
}

/** The workspace's model, then every known one. One with a problem stays, with its reason. */
export function modelChoices(view: ModelsView): ModelChoice[] {
  const ofWorkspace = { value: WORKSPACE_MODEL, label: t("models.asWorkspace", { model: modelName(view.model) }), disabled: false };
  const known = view.models.map((model) => {
    const [name, how, price] = [modelName(model.id), workWords(model), priceWords(model)];
    const label =
      model.problem !== null
        ? t("models.cannot", { model: name, reason: model.problem })
        : model.id === BUILT_IN
          ? t("models.choiceHere", { model: name, how })
          : t("models.choice", { model: name, how, price });
    return { value: model.id, label, disabled: model.problem !== null };
  });
  return [ofWorkspace, ...known];
}
