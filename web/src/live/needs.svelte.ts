// How many things need the person; in sight everywhere.

class Needs {
  count = $state(0);
}

export const needs = new Needs();
